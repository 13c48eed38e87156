//! The presets: each can be played at each of its tables, and says what it is.
//!
//! **Invariant:** warnings are pinned, so that a change of a preset is seen here.

use std::collections::BTreeSet;

use handfoot_rules::{NameError, Permission, Preset, RuleFile, Rules, RulesDraft, RulesWarning};

/// Every table of a preset.
fn tables(preset: &Preset) -> impl Iterator<Item = RulesDraft> + '_ {
    preset.seating.iter().flat_map(move |row| {
        let draft = |size: &u8| preset.draft(Some(row.players), Some(*size)).unwrap();
        row.team_sizes.iter().map(draft)
    })
}

/// What is odd about a preset, at any of its tables.
fn oddities(id: &str) -> &'static [&'static str] {
    match id {
        // A red three held outweighs the best book, which pays 300.
        "simpson" | "brouillette-partnership-low" => &["RED_THREE_HELD_HEAVY"],
        // Two players have three decks, and so six black threes.
        "brouillette-low" => &["BLACK_THREE_BOOK_IMPOSSIBLE", "RED_THREE_HELD_HEAVY"],
        "brouillette-high" => &["BLACK_THREE_BOOK_IMPOSSIBLE"],
        // 216 − 144 − 1 = 71 cards of stock for six players.
        "pennies-from-heaven" => &["FREEZE_CHANGES_NOTHING", "STOCK_SHORT"],
        "remastered-teams" => &["BLACK_THREES_STRAND"],
        // Six draw five cards each from a stock of 299 in the fourth round.
        "vegas" => &["BLACK_THREES_STRAND", "STOCK_SHORT"],
        _ => &[],
    }
}

#[test]
fn every_preset_is_accepted_at_every_table() {
    for preset in Preset::all() {
        let mut odd = BTreeSet::new();
        for draft in tables(preset) {
            let (players, size) = (draft.players, draft.team_size);
            let at = format!("{} {players} {size}", preset.id);
            let validated = Rules::new(draft).unwrap_or_else(|found| panic!("{at}: {found:?}"));
            odd.extend(validated.warnings.iter().map(RulesWarning::reason));
            assert_eq!(validated.rules.seats(), usize::from(players));
        }
        assert_eq!(odd.into_iter().collect::<Vec<_>>(), oddities(&preset.id), "{}", preset.id);
    }
}

#[test]
fn every_preset_of_the_specification_is_there() {
    let ids: Vec<&str> = Preset::all().iter().map(|preset| preset.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "whitnack",
            "whitnack-2005",
            "foot-canasta",
            "favourite-500",
            "favourite-300",
            "saskatchewan",
            "simpson",
            "brouillette-low",
            "brouillette-high",
            "brouillette-partnership-low",
            "brouillette-partnership-high",
            "bga",
            "pennies-from-heaven",
            "demeritt",
            "rasa",
            "bicycle",
            "hand-n-foot-262",
            "remastered-teams",
            "vegas",
        ],
    );
}

/// Alone and two at a time: each changes something, and what comes of it can be played.
#[test]
fn every_override_is_accepted_at_every_table() {
    for preset in Preset::all() {
        for change in &preset.overrides {
            let one = preset.with(&[&change.id]).unwrap();
            assert_ne!(one.draft(None, None), preset.draft(None, None), "{}", one.id);
            for other in &preset.overrides {
                let both = preset.with(&[&change.id, &other.id]).unwrap();
                for draft in tables(&both) {
                    let text = draft.to_toml();
                    assert_eq!(RuleFile::parse(&text).unwrap().rules, draft);
                    let sound = Rules::new(draft);
                    assert!(sound.is_ok(), "{}: {:?}", both.id, sound.err());
                }
            }
        }
    }
}

#[test]
fn a_name_chooses_overrides() {
    let lifting = Preset::named("simpson+lifting").unwrap();
    assert_eq!(lifting.id, "simpson+lifting");
    assert_eq!(lifting.title, "Hand and Foot, Simpson's rules, dealing by lifting");
    let rules = lifting.draft(None, None).unwrap();
    assert_eq!(rules.exact_pick.bonus, 100);
    let plain = Preset::find("simpson").unwrap().draft(None, None).unwrap();
    assert_eq!(RulesDraft { exact_pick: plain.exact_pick, ..rules }, plain);
    let two = Preset::named("bga+eleven+percentage+eleven").unwrap();
    assert_eq!(two.id, "bga+eleven+percentage");
    // A preset has the overrides of its base too.
    assert!(Preset::named("brouillette-high+lifting").is_ok());
    let error = Preset::named("simpson+liftin").unwrap_err();
    assert!(matches!(error, NameError::Override(_)));
    assert_eq!(
        error.to_string(),
        "simpson has no override \"liftin\", did you mean lifting?; there are lifting",
    );
    let error = Preset::named("whitnack+lifting").unwrap_err();
    assert_eq!(error.to_string(), "whitnack has no override \"lifting\"; it has none");
    assert!(matches!(Preset::named("bridge+lifting"), Err(NameError::Preset(_))));
    assert!(Preset::named("simpson+").is_err() && Preset::named("").is_err());
}

#[test]
fn every_preset_with_lifting_has_it_off() {
    let with: Vec<&str> = Preset::all()
        .iter()
        .filter(|preset| preset.with(&["lifting"]).is_ok())
        .map(|preset| preset.id.as_str())
        .collect();
    assert_eq!(with.len(), 9, "{with:?}");
    for preset in Preset::all() {
        let draft = preset.draft(None, None).unwrap();
        assert_eq!(draft.exact_pick.bonus, 0, "{}", preset.id);
    }
}

#[test]
fn every_preset_has_its_texts() {
    for preset in Preset::all() {
        assert!(
            preset.id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        );
        assert!(!preset.title.is_empty() && !preset.source.is_empty());
        assert!(!preset.summary.is_empty() && !preset.summary.contains("  "), "{}", preset.summary);
        let changes = preset.overrides.iter();
        assert!(changes.clone().all(|change| change.summary.ends_with('.')), "{}", preset.id);
        assert!(changes.clone().all(|change| !change.title.is_empty()), "{}", preset.id);
        assert_eq!(Preset::find(&preset.id).unwrap(), preset);
    }
}

#[test]
fn every_note_is_about_a_field() {
    let changed = Preset::all().iter().flat_map(|preset| {
        preset.overrides.iter().map(|change| preset.with(&[&change.id]).unwrap())
    });
    for preset in Preset::all().iter().cloned().chain(changed) {
        let text = preset.draft(None, None).unwrap().to_toml();
        let fields: toml::Table = toml::from_str(&text).unwrap();
        assert!(!preset.notes.is_empty(), "{}", preset.id);
        for (path, note) in &preset.notes {
            let field = path.split('.').try_fold(&fields["rules"], |at, name| at.get(name));
            assert!(field.is_some(), "{}: {path}", preset.id);
            assert!(note.ends_with('.'), "{note}");
        }
    }
}

#[test]
fn the_default_rules_are_those_of_the_specification() {
    let rules = Rules::new(Preset::all()[0].draft(None, None).unwrap()).unwrap().rules;
    assert_eq!(Preset::all()[0].id, handfoot_rules::BASE_DEFAULT);
    assert_eq!(rules.pack().cards().len(), 270);
    let minimums: Vec<i32> = (0..5).map(|round| rules.opening_minimum(round, 0)).collect();
    assert_eq!(minimums, [50, 90, 120, 150, 150]);
    assert_eq!(rules.round(0).packets, [13, 13]);
    assert_eq!(rules.round(0).take_max, 7);
}

#[test]
fn foot_canasta_asks_no_question() {
    let base = Preset::find("whitnack").unwrap().draft(None, None).unwrap();
    let derived = Preset::find("foot-canasta").unwrap().draft(None, None).unwrap();
    let mut expected = base;
    expected.permission = Permission::None;
    assert_eq!(derived, expected);
}

#[test]
fn the_usual_team_size_goes_with_the_players() {
    let preset = Preset::find("whitnack").unwrap();
    let teams = |players, size| preset.draft(players, size).map(|d| (d.players, d.team_size));
    assert_eq!(teams(None, None), Ok((4, 2)));
    assert_eq!(teams(Some(6), None), Ok((6, 3)));
    assert_eq!(teams(Some(6), Some(2)), Ok((6, 2)));
    assert_eq!(teams(Some(5), None), Ok((5, 1)));
    assert_eq!(teams(None, Some(1)), Ok((4, 1)));
    let error = teams(Some(7), None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "not for 7 players; allowed are 4 in teams of 2 or 1, 2 in teams of 1, 3 in teams of 1, \
         5 in teams of 1, 6 in teams of 3 or 2",
    );
    let error = Preset::find("foot-canasta").unwrap().draft(None, Some(1)).unwrap_err();
    assert_eq!(error.to_string(), "4 players not in teams of 1; allowed are 4 in teams of 2",);
}

#[test]
fn an_unknown_preset_is_answered_with_the_known_ones() {
    let error = Preset::find("whitnak").unwrap_err();
    assert_eq!(error.nearest.as_deref(), Some("whitnack"));
    let text = error.to_string();
    assert!(
        text.starts_with("no preset \"whitnak\", did you mean whitnack?; there are whitnack, ")
    );
    assert!(text.ends_with(", vegas"), "{text}");
    assert_eq!(Preset::find("bridge").unwrap_err().nearest, None);
}

#[test]
fn what_is_written_is_read_back() {
    for preset in Preset::all() {
        for row in &preset.seating {
            let draft = preset.draft(Some(row.players), None).unwrap();
            let text = draft.to_toml();
            let file = RuleFile::parse(&text).unwrap();
            assert_eq!(file.rules, draft);
            assert_eq!(file.rules.to_toml(), text);
            assert_eq!(file.draft(None, None).unwrap(), draft);
        }
    }
}
