//! Rule sets on the wire.
//!
//! **Invariant:** what can be played is decided by `handfoot-rules` alone.

use handfoot_protocol::{
    ChoiceError, ExplainError, check_rules, decode_choice, decode_draft, encode_draft,
    encode_preset, explain_rules, v1,
};
use handfoot_rules::{
    Decks, ExactPickModel, OpeningBy, OpeningStep, PackChoice, PerRound, Preset, RulesDraft,
    TakeCount,
};
use prost::Message;

use crate::games::every_table;

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
        override_ids: Vec::new(),
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
    let ChoiceError::Fields { errors, problems } = &error else { panic!("{error}") };
    assert_eq!(errors.len(), 31, "every parameter but the one that is set");
    assert_eq!(errors[0].to_string(), "changes.players: must be set");
    assert_eq!(*problems, []);
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
    assert_eq!(summary.kinds.len(), 15);
    assert_eq!(summary.kinds.iter().map(|kind| kind.number).sum::<u32>(), 270);
    assert_eq!(summary.rounds.len(), 1);
    let expected = summary.expected.unwrap();
    assert_eq!(expected.rounds.unwrap().likely, 4);
    assert!(expected.turns_per_round.unwrap().likely > 50);
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

#[test]
fn a_choice_names_overrides() {
    let named = |preset_id: &str, ids: &[&str]| v1::RulesChoice {
        preset_id: preset_id.to_owned(),
        override_ids: ids.iter().map(|id| (*id).to_owned()).collect(),
        ..Default::default()
    };
    let lifting = decode_choice(Some(&named("simpson", &["lifting"]))).unwrap();
    assert_eq!(lifting.exact_pick.bonus, 100);
    assert_eq!(decode_choice(Some(&named("simpson+lifting", &[]))), Ok(lifting));
    let unknown = decode_choice(Some(&named("whitnack", &["lifting"]))).unwrap_err();
    assert!(matches!(unknown, ChoiceError::Override(_)), "{unknown}");
    let misplaced = decode_choice(Some(&named("", &["lifting"]))).unwrap_err();
    assert!(misplaced.to_string().starts_with("override_ids: "), "{misplaced}");
    let many = decode_choice(Some(&named("bga", &["eleven"; 33]))).unwrap_err();
    assert!(many.to_string().starts_with("override_ids: "), "{many}");
    let sent = encode_preset(Preset::find("bga").unwrap());
    assert!(sent.overrides.len() > 10 && sent.overrides.iter().all(|o| !o.summary.is_empty()));
}

#[test]
fn a_rule_set_is_explained_in_whole_and_by_section() {
    let mut request = v1::ExplainRulesRequest::default();
    let whole = explain_rules(&request).unwrap();
    assert_eq!(whole.title, "Hand and Foot, Whitnack's rules");
    assert!(whole.sections.len() > 12);
    for section in &whole.sections {
        assert!(whole.text.contains(&section.text), "{}", section.section_id);
    }
    request.section_id = "opening".to_owned();
    let part = explain_rules(&request).unwrap();
    assert_eq!(part.sections.len(), 1);
    assert!(whole.sections.contains(&part.sections[0]));
    request.section_id = "chess".to_owned();
    assert!(matches!(explain_rules(&request), Err(ExplainError::Section(_))));
    // A changed preset does not say of itself what is not so any more.
    let changes = v1::RulesDraft { out_bonus: Some(777), ..Default::default() };
    let choice = v1::RulesChoice { preset_id: "whitnack".to_owned(), ..Default::default() };
    let choice = v1::RulesChoice { changes: Some(changes), ..choice };
    let request =
        v1::ExplainRulesRequest { rules: Some(choice.clone()), section_id: String::new() };
    let changed = explain_rules(&request).unwrap();
    assert!(changed.title.ends_with("with changes") && changed.text.contains("777 points"));
    assert!(changed.sections.iter().all(|section| section.section_id != "about"));
    let absurd = v1::RulesDraft {
        meld_min: Some(9),
        draw: Some(v1::DrawByRound::default()),
        ..Default::default()
    };
    let rules = Some(v1::RulesChoice { changes: Some(absurd), ..choice });
    let request = v1::ExplainRulesRequest { rules, section_id: String::new() };
    assert!(matches!(explain_rules(&request), Err(ExplainError::Rules(p)) if p.len() > 1));
}

/// A wrong type in one place does not hide an absurd number in another.
#[test]
fn everything_that_is_wrong_with_a_choice_is_told_at_once() {
    let mut changes = v1::RulesDraft { out_bonus: Some(9_999), ..Default::default() };
    changes.wild_meld = Some(99);
    changes.players = Some(4_000);
    changes.take = Some(v1::Take::default());
    changes.meld_min = Some(9);
    let choice = v1::RulesChoice { preset_id: "whitnack".to_owned(), ..Default::default() };
    let choice = v1::RulesChoice { changes: Some(changes), ..choice };
    let error = decode_choice(Some(&choice)).unwrap_err();
    let ChoiceError::Fields { errors, problems } = error else { panic!("{error}") };
    let fields: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
    assert_eq!(fields[..2], ["changes.players", "changes.wild_meld"]);
    assert!(fields[2].starts_with("changes.take") && fields.len() == 3, "{fields:?}");
    let fields: Vec<String> = problems.iter().map(|problem| problem.at.to_string()).collect();
    assert!(fields.contains(&"out_bonus".to_owned()), "{fields:?}");
    assert!(fields.contains(&"book_size".to_owned()), "{fields:?}");
}
