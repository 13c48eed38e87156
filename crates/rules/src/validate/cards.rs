//! Checks of the cards: D.1 #8 to #13, #19 and #36.
//!
//! **Invariant:** reads the draft, changes nothing, stops at nothing.

use handfoot_cards::{KINDS_MAX, NamedKind, PACK_CARDS_MAX, Pack, PackProblem, Role};

use super::Problems;
use super::supply::Supply;
use crate::limits::{CARD_VALUES_MAX, POINTS, SPECIAL_MAX};
use crate::{
    BlackThreeMeld, BookNeeded, FromDiscards, Named, PackChoice, Place, Problem, RedThreeMode,
    RulesDraft,
};

pub(super) fn check(draft: &RulesDraft, supply: &Supply, problems: &mut Problems) {
    let kinds = kinds(draft);
    card_values(draft, &kinds, problems);
    red_three(draft, supply, problems);
    black_three(draft, supply, problems);
    special(draft, &kinds, problems);
    match &draft.pack {
        PackChoice::Standard => {}
        PackChoice::Kinds(list) => pack(list, problems),
    }
}

/// The names of the pack's kinds, each with its sort.
fn kinds(draft: &RulesDraft) -> Vec<(String, Role)> {
    match &draft.pack {
        PackChoice::Standard => {
            let deck = Pack::standard(1, 0).map(|pack| pack.kinds().to_vec()).unwrap_or_default();
            deck.into_iter().map(|kind| (kind.name, kind.role)).collect()
        }
        PackChoice::Kinds(list) => {
            list.iter().take(KINDS_MAX).map(|kind| (clipped(&kind.name), kind.role)).collect()
        }
    }
}

/// D.2 #16, and one value for every kind. Red threes may go without: they score by themselves.
fn card_values(draft: &RulesDraft, kinds: &[(String, Role)], problems: &mut Problems) {
    let values = &draft.card_value.0;
    problems.length("card_value", values.len(), CARD_VALUES_MAX);
    for (name, value) in values.iter().take(CARD_VALUES_MAX) {
        let name = clipped(name);
        if !kinds.iter().any(|(kind, _)| *kind == name) {
            problems.add("card_value", Problem::CardValueUnknown { name: name.clone() });
        }
        let actual = i64::from(*value);
        if !POINTS.contains(&actual) {
            let (least, most) = (*POINTS.start(), *POINTS.end());
            let problem = Problem::CardValueOutOfRange { name, actual, least, most };
            problems.add("card_value", problem);
        }
    }
    for (name, role) in kinds {
        if *role != Role::RedThree && !values.contains_key(name) {
            problems.add("card_value", Problem::CardValueMissing { name: name.clone() });
        }
    }
}

/// D.2 #12, and #16 for red threes.
fn red_three(draft: &RulesDraft, supply: &Supply, problems: &mut Problems) {
    let red = draft.red_three;
    for (field, points) in [
        ("red_three.laid", red.laid),
        ("red_three.held", Some(red.held)),
        ("red_three.all", red.all),
    ] {
        if let Some(points) = points {
            problems.range(field, points, &POINTS);
        }
    }
    let lays = red.mode != RedThreeMode::Penalty;
    if lays && red.needs == Some(BookNeeded::Sevens) && draft.special.is_empty() {
        problems.add("red_three.needs", Problem::NeedSevensWithoutSpecial { needed: 1 });
    }
    match red.mode {
        RedThreeMode::Bonus | RedThreeMode::Blocker if red.laid.is_some() => {}
        RedThreeMode::Bonus => {
            problems.add("red_three.laid", Problem::RedThreeLaidMissing { mode: "bonus" });
        }
        RedThreeMode::Blocker => {
            problems.add("red_three.laid", Problem::RedThreeLaidMissing { mode: "blocker" });
        }
        RedThreeMode::Penalty => penalty(draft, problems),
    }
    if supply.red_threes == 0 {
        for (field, given) in
            [("red_three.all", red.all.is_some()), ("red_three.needs", red.needs.is_some())]
        {
            if given {
                problems.add(field, Problem::RedThreeNotInPack);
            }
        }
    }
}

/// D.2 #12: held red threes have none of what laid ones have.
fn penalty(draft: &RulesDraft, problems: &mut Problems) {
    let red = draft.red_three;
    let number = |points: i32| Named::Number(i64::from(points));
    let needs = red.needs.map(|needs| Named::Word(needs.name()));
    let replaced = match red.from_discards {
        FromDiscards::Replaced => Some(Named::Word("replaced")),
        FromDiscards::NotReplaced => None,
    };
    for (field, given, required) in [
        ("red_three.laid", red.laid.map(number), "none"),
        ("red_three.all", red.all.map(number), "none"),
        ("red_three.needs", needs, "none"),
        ("red_three.from_discards", replaced, "not_replaced"),
    ] {
        if let Some(actual) = given {
            problems.add(field, Problem::RedThreeValueInPenalty { actual, required });
        }
    }
}

/// D.2 #16 for black threes.
fn black_three(draft: &RulesDraft, supply: &Supply, problems: &mut Problems) {
    let black = draft.black_three;
    for (field, points) in [
        ("black_three.melded_value", black.melded_value),
        ("black_three.book_bonus", black.book_bonus),
    ] {
        if let Some(points) = points {
            problems.range(field, points, &POINTS);
            if supply.black_threes == 0 {
                problems.add(field, Problem::BlackThreeNotInPack);
            }
        }
    }
    if supply.black_threes == 0 && black.meld != BlackThreeMeld::Never {
        problems.add("black_three.meld", Problem::BlackThreeNotInPack);
    }
}

/// Special ranks: naturals of the pack, each once; no threes, by D.2 #12.
fn special(draft: &RulesDraft, kinds: &[(String, Role)], problems: &mut Problems) {
    problems.length("special", draft.special.len(), SPECIAL_MAX);
    for (index, special) in draft.special.iter().take(SPECIAL_MAX).enumerate() {
        let rank = Place::entry("special[].rank", Some(index));
        let name = clipped(&special.rank);
        match kinds.iter().find(|(kind, _)| *kind == name).map(|(_, role)| role) {
            Some(Role::Natural) => {}
            Some(Role::RedThree | Role::BlackThree) => {
                problems.add_at(rank, Problem::SpecialThree { name: name.clone() });
            }
            Some(Role::Wild) | None => {
                problems.add_at(rank, Problem::SpecialUnknown { name: name.clone() });
            }
        }
        if draft.special[..index].iter().any(|other| other.rank == special.rank) {
            problems.add_at(rank, Problem::SpecialRepeated { name });
        }
        let bonus = Place::entry("special[].book_bonus", Some(index));
        problems.range_at(bonus, special.book_bonus, &POINTS);
    }
}

/// D.2 #16.
fn pack(list: &[NamedKind], problems: &mut Problems) {
    problems.length("pack", list.len(), KINDS_MAX);
    for (index, kind) in list.iter().take(KINDS_MAX).enumerate() {
        let at = Place::entry("pack[]", Some(index));
        match Pack::named(std::slice::from_ref(kind)) {
            // One kind by itself need not be natural; that is asked of the whole list.
            Ok(_) | Err(PackProblem::NoNaturals) => {}
            Err(problem) => problems.add_at(at, problem_of(problem)),
        }
        if list[..index].iter().any(|other| other.name.eq_ignore_ascii_case(&kind.name)) {
            problems.add_at(at, Problem::PackNameRepeated { name: clipped(&kind.name) });
        }
    }
    if !list.iter().any(|kind| kind.role == Role::Natural) {
        problems.add("pack", Problem::PackWithoutNaturals);
    }
    let kinds = |role| list.iter().filter(|kind| kind.role == role).count();
    for (kinds, most, problem) in [
        (kinds(Role::Wild), Pack::WILD_FACES_MAX, PackProblem::TooManyWildFaces as fn(_) -> _),
        (kinds(Role::RedThree), Pack::RED_THREE_FACES_MAX, PackProblem::TooManyRedThreeFaces),
    ] {
        if kinds > most {
            problems.add("pack", problem_of(problem(kinds)));
        }
    }
}

/// The same problem in the words of this crate.
pub(super) fn problem_of(problem: PackProblem) -> Problem {
    match problem {
        PackProblem::TooManyKinds(actual) => Problem::ListTooLong { actual, most: KINDS_MAX },
        PackProblem::TooManyCards(cards) => Problem::PackTooLarge {
            cards: i64::try_from(cards).unwrap_or(i64::MAX),
            most: PACK_CARDS_MAX,
        },
        PackProblem::NoCards(name) => Problem::PackKindEmpty { name: clipped(&name) },
        PackProblem::RepeatedName(name) => Problem::PackNameRepeated { name: clipped(&name) },
        PackProblem::UnreadableName(name) => Problem::PackNameUnreadable { name: clipped(&name) },
        PackProblem::NoNaturals => Problem::PackWithoutNaturals,
        PackProblem::TooManyWildFaces(kinds) => {
            Problem::PackTooManyWilds { kinds, most: Pack::WILD_FACES_MAX }
        }
        PackProblem::TooManyRedThreeFaces(kinds) => {
            Problem::PackTooManyRedThrees { kinds, most: Pack::RED_THREE_FACES_MAX }
        }
    }
}

/// A name as messages show it: a name of the pack whole, anything longer cut.
fn clipped(name: &str) -> String {
    name.chars().take(24).collect()
}
