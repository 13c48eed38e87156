//! Rule sets on the wire.
//!
//! **Invariant:** what can be played is decided by `handfoot-rules` alone.

use handfoot_protocol::{
    ChoiceError, check_rules, decode_choice, decode_draft, encode_draft, encode_preset, v1,
};
use handfoot_rules::{
    Decks, ExactPickModel, OpeningBy, OpeningStep, PackChoice, PerRound, Preset, RulesDraft,
    TakeCount,
};
use prost::Message;

use handfoot_test_kit::every_table;

fn received(draft: &RulesDraft) -> RulesDraft {
    let bytes = encode_draft(draft).encode_to_vec();
    decode_draft(&v1::RulesDraft::decode(bytes.as_slice()).unwrap()).unwrap()
}

fn whitnack() -> RulesDraft {
    Preset::find("whitnack").unwrap().draft(None, None).unwrap()
}

#[test]
fn every_preset_at_every_table_comes_back() {
    for rules in every_table() {
        assert_eq!(received(rules.draft()), *rules.draft());
    }
}

/// Every choice of every parameter, playable or not.
#[test]
fn drafts_that_cannot_be_played_come_back_too() {
    let mut draft = whitnack();
    draft.decks = Decks::Fixed(7);
    draft.packets = PerRound::Each(vec![vec![13, 13], vec![11, 11, 11]]);
    draft.exact_pick.model = ExactPickModel::Chance(0.25);
    draft.red_three.needs = Some(handfoot_rules::BookNeeded::Sevens);
    draft.red_three.laid = None;
    draft.wild_limit.a = handfoot_rules::Ratio { numerator: -3, denominator: 2 };
    draft.wild_limit.b = -128;
    draft.wild_limit.max = Some(255);
    draft.opening.by = OpeningBy::TeamScore(vec![-5, 1500]);
    draft.opening.steps =
        vec![OpeningStep::Points(15), OpeningStep::Book(handfoot_rules::OpeningBook::CleanBook)];
    draft.take.count = PerRound::Each(vec![TakeCount::Top(7), TakeCount::All]);
    draft.stock_out.max_added = Some(2);
    draft.length.target = Some(-1);
    draft.length.rounds = None;
    let name = "Lord".to_owned();
    let lord = handfoot_cards::NamedKind { name, number: 20, role: handfoot_cards::Role::Natural };
    draft.pack = PackChoice::Kinds(vec![lord]);
    assert_eq!(received(&draft), draft);
    draft.packets = PerRound::Each(vec![]);
    assert_eq!(received(&draft), draft);
}

/// A list by round of one entry says the same as one value, and becomes it.
#[test]
fn a_list_of_one_round_becomes_one_value() {
    let mut draft = whitnack();
    draft.draw = PerRound::Each(vec![3]);
    assert_eq!(received(&draft).draw, PerRound::Same(3));
}

#[test]
fn a_parameter_that_is_not_set_is_named() {
    let mut sent = encode_draft(&whitnack());
    sent.take.as_mut().unwrap().wild_top = 0;
    assert_eq!(decode_draft(&sent).unwrap_err().field, "take.wild_top");
    sent.take = None;
    assert_eq!(decode_draft(&sent).unwrap_err().to_string(), "take: must be set");
    sent = encode_draft(&whitnack());
    sent.players = Some(256);
    assert_eq!(decode_draft(&sent).unwrap_err().field, "players");
}

#[test]
fn a_choice_is_a_preset_with_changes() {
    assert_eq!(decode_choice(None), Ok(whitnack()));
    assert_eq!(decode_choice(Some(&v1::RulesChoice::default())), Ok(whitnack()));
    let changes = v1::RulesDraft { out_bonus: Some(200), ..Default::default() };
    let choice = v1::RulesChoice {
        preset_id: "whitnack".to_owned(),
        players: 6,
        team_size: 2,
        changes: Some(changes.clone()),
    };
    let chosen = decode_choice(Some(&choice)).unwrap();
    let usual = Preset::find("whitnack").unwrap().draft(Some(6), Some(2)).unwrap();
    assert_eq!(chosen, RulesDraft { out_bonus: 200, ..usual });
    let unknown = v1::RulesChoice { preset_id: "nobody".to_owned(), ..choice.clone() };
    assert!(matches!(decode_choice(Some(&unknown)), Err(ChoiceError::Preset(_))));
    let crowded = v1::RulesChoice { players: 11, ..choice.clone() };
    assert!(matches!(decode_choice(Some(&crowded)), Err(ChoiceError::Seating(_))));
    // Without a preset every parameter must be there.
    let bare = v1::RulesChoice { preset_id: String::new(), players: 0, team_size: 0, ..choice };
    let error = decode_choice(Some(&bare)).unwrap_err();
    assert_eq!(error.to_string(), "changes.players: must be set");
    let whole = v1::RulesChoice { changes: Some(encode_draft(&whitnack())), ..bare };
    assert_eq!(decode_choice(Some(&whole)), Ok(whitnack()));
}

#[test]
fn checks_say_what_is_wrong_and_what_it_means() {
    let fine = check_rules(whitnack());
    assert_eq!(fine.problems, []);
    let summary = fine.summary.unwrap();
    assert_eq!((summary.decks, summary.pack_cards), (5, 270));
    assert_eq!((summary.dealt, summary.stock, summary.stock_per_seat), (105, 165, 41));
    let mut draft = whitnack();
    draft.meld_min = 9;
    draft.decks = Decks::Fixed(1);
    let wrong = check_rules(draft);
    assert!(wrong.summary.is_none() && wrong.rules.is_none());
    let found: Vec<_> = wrong.problems.iter().map(|p| (&*p.field, &*p.reason)).collect();
    assert!(found.contains(&("book_size", "BOOK_TOO_SMALL")), "{found:?}");
    assert!(wrong.problems.iter().all(|problem| !problem.message.is_empty()));
}

#[test]
fn presets_are_sent_with_their_tables() {
    let preset = encode_preset(Preset::find("whitnack").unwrap());
    assert_eq!(preset.preset_id, "whitnack");
    assert_eq!(preset.seating[0].players, 4);
    assert!(!preset.notes.is_empty() && preset.rules.is_none());
}
