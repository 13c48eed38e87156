//! The presets: each can be played at each of its tables, and says what it is.
//!
//! **Invariant:** warnings are pinned, so that a change of a preset is seen here.

use handfoot_rules::{Permission, Preset, RuleFile, Rules};

#[test]
fn every_preset_can_be_played_at_every_table() {
    for preset in Preset::all() {
        for row in &preset.seating {
            for size in &row.team_sizes {
                let draft = preset.draft(Some(row.players), Some(*size)).unwrap();
                let validated = Rules::new(draft).unwrap();
                assert_eq!(validated.warnings, [], "{} {} {size}", preset.id, row.players);
                assert_eq!(validated.rules.seats(), usize::from(row.players));
            }
        }
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
        assert_eq!(Preset::find(&preset.id).unwrap(), preset);
    }
}

#[test]
fn every_note_is_about_a_field() {
    for preset in Preset::all() {
        let text = preset.draft(None, None).unwrap().to_toml();
        let fields: toml::Table = toml::from_str(&text).unwrap();
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
    assert_eq!(
        error.to_string(),
        "no preset \"whitnak\", did you mean whitnack?; there are whitnack, foot-canasta",
    );
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
