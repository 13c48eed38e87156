//! Every handbook is made of whole sentences, and says nothing about what its rules do not have.
//!
//! **Invariant:** whatever is asked here holds for every preset at every table.

use handfoot_handbook::{Block, Expected, Handbook, Subject};
use handfoot_rules::{Preset, Rules};

/// The handbook of every preset, with and without its overrides, at every table.
fn every() -> Vec<(String, Rules, Handbook)> {
    let mut books = Vec::new();
    for preset in Preset::all() {
        let plain = vec![preset.clone()];
        let changed = preset.overrides.iter().map(|change| preset.with(&[&change.id]).unwrap());
        for preset in plain.into_iter().chain(changed) {
            for row in &preset.seating {
                for size in &row.team_sizes {
                    let table = preset.draft(Some(row.players), Some(*size)).unwrap();
                    let subject = Subject::preset(&preset, table).unwrap();
                    let name = format!("{} for {} in {size}", preset.id, row.players);
                    let book = Handbook::of(&subject);
                    books.push((name, subject.rules, book));
                }
            }
        }
    }
    books
}

#[test]
fn every_paragraph_is_made_of_sentences() {
    for (name, _, book) in every() {
        for section in &book.sections {
            for block in &section.blocks {
                let sentences: Vec<&str> = match block {
                    Block::Paragraph(text) => vec![text],
                    Block::Steps(steps) => steps.iter().map(String::as_str).collect(),
                    Block::List(points) => points.iter().map(String::as_str).collect(),
                    Block::Table(rows) => {
                        assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{name}");
                        continue;
                    }
                };
                for text in sentences {
                    let first = text.chars().next().unwrap();
                    let at = format!("{name}: {text}");
                    let is_start = first.is_uppercase() || first.is_ascii_digit();
                    assert!(is_start || matches!(block, Block::List(_)), "{at}");
                    assert!(text.ends_with(['.', ':', ';', '?']), "{at}");
                    for bad in ["  ", " .", " ,", "..", ",.", "; .", "_"] {
                        let noted = section.id == "judgements" || section.id == "about";
                        assert!(noted || !text.contains(bad), "{bad:?} in {at}");
                    }
                }
            }
        }
    }
}

/// A word is in the text only if the rules have the thing.
#[test]
fn nothing_is_said_about_what_is_not_there() {
    use handfoot_rules::{Permission, StockThen, WildDiscard};
    for (name, rules, book) in every() {
        let told: Vec<String> = book
            .sections
            .iter()
            .filter(|section| !["about", "judgements", "tables"].contains(&section.id))
            .map(|section| section.to_text().split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        let text = told.join(" ");
        let draft = rules.draft();
        let alone = draft.team_size == 1;
        for (word, is_there) in [
            ("partner", draft.team_size == 2 || !alone),
            ("your team", !alone),
            ("May I go out", false),
            ("may I go out", draft.permission == Permission::Ask),
            ("wild book", rules.wild_meld_allowed()),
            (
                "joker",
                draft.pack == handfoot_rules::PackChoice::Standard && draft.jokers_per_deck > 0,
            ),
            ("frozen", draft.wild_discard == WildDiscard::Freeze),
            ("another deck", draft.stock_out.then == StockThen::AddDeck),
            ("special", !draft.special.is_empty()),
            ("lifting", draft.exact_pick.bonus > 0),
            ("second meld of a rank in the same round", draft.per_rank.total == Some(1)),
        ] {
            assert!(is_there || !text.contains(word), "{name}: {word:?}");
        }
    }
}

#[test]
fn chapters_can_be_asked_for_by_name() {
    let (_, _, book) = every().remove(0);
    assert_eq!(book.section("opening").unwrap().title, "The first lay-down");
    assert!(book.section("chess").is_none());
    let ids: Vec<&str> = book.sections.iter().map(|section| section.id).collect();
    assert_eq!(ids.first(), Some(&"about"));
    assert!(book.to_text().lines().all(|line| line.chars().count() <= 80));
}

#[test]
fn a_game_of_four_takes_about_two_hours() {
    let (_, rules, _) = every().remove(0);
    let expected = Expected::of(&rules);
    assert_eq!((expected.rounds.least, expected.rounds.most), (4, 4));
    assert!((100..=140).contains(&expected.minutes.likely), "{expected:?}");
    for (name, rules, _) in every() {
        let Expected { turns_per_round, rounds, minutes } = Expected::of(&rules);
        for range in [turns_per_round, rounds, minutes] {
            assert!(range.least <= range.likely && range.likely <= range.most, "{name}");
            assert!(range.likely > 0, "{name}");
        }
    }
}
