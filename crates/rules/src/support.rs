//! The choices of D.1 that cannot be played yet, all in this one place.
//!
//! **Invariant:** a choice that the engine learns disappears from here and from nowhere else.

use crate::validate::{Problems, entries};
use crate::{
    BlackThreeMeld, ExtendBook, ExtendWild, FirstUpcard, LastDiscard, Named, OpeningBook,
    OpeningStep, OpeningViaDiscards, OpeningWilds, Place, Problem, RedThreeMode, RulesDraft,
    TakeMatch, UnfinishedSecond, WildDiscard,
};

/// Notes every choice that cannot be played yet, one problem a field.
pub(crate) fn check(draft: &RulesDraft, problems: &mut Problems) {
    let mut found = Found(problems);
    threes(draft, &mut found);
    melds(draft, &mut found);
    opening(draft, &mut found);
    discards(draft, &mut found);
    going_out(draft, &mut found);
}

/// Where problems go, and in which words.
struct Found<'a>(&'a mut Problems);

impl Found<'_> {
    fn word(&mut self, field: &'static str, found: Option<&'static str>, today: &'static str) {
        self.add(Place::of(field), found.map(Named::Word), today);
    }

    fn number(&mut self, field: &'static str, found: Option<i64>, today: &'static str) {
        self.add(Place::of(field), found.map(Named::Number), today);
    }

    fn add(&mut self, at: Place, found: Option<Named>, today: &'static str) {
        if let Some(actual) = found {
            self.0.add_at(at, Problem::NotSupportedYet { actual, today });
        }
    }
}

fn threes(draft: &RulesDraft, found: &mut Found<'_>) {
    let red = draft.red_three;
    let mode = match red.mode {
        RedThreeMode::Bonus | RedThreeMode::Penalty => None,
        RedThreeMode::Blocker => Some("blocker"),
    };
    found.word("red_three.mode", mode, "bonus or penalty");
    let black = draft.black_three;
    let meld = match black.meld {
        BlackThreeMeld::Never => None,
        BlackThreeMeld::Set => Some("set"),
        BlackThreeMeld::SetWhenGoingOut => Some("set_when_going_out"),
    };
    found.word("black_three.meld", meld, "never");
    found.number("black_three.melded_value", black.melded_value.map(i64::from), "none");
    found.number("black_three.book_bonus", black.book_bonus.map(i64::from), "none");
}

fn melds(draft: &RulesDraft, found: &mut Found<'_>) {
    let size = draft.book_size;
    let book_size = (!(4..=9).contains(&size)).then_some(i64::from(size));
    found.number("book_size", book_size, "4 to 9");
    let extend = |choice: ExtendBook| match choice {
        ExtendBook::None => None,
        ExtendBook::Natural => Some("natural"),
        ExtendBook::Any => Some("any"),
    };
    found.word("extend.clean", extend(draft.extend.clean), "none");
    found.word("extend.dirty", extend(draft.extend.dirty), "none");
    let wild = match draft.extend.wild {
        ExtendWild::None => None,
        ExtendWild::Wild => Some("wild"),
    };
    found.word("extend.wild", wild, "none");
    let open = draft.per_rank.open;
    found.number("per_rank.open", (open != 1).then_some(i64::from(open)), "1");
    found.number("per_rank.total", draft.per_rank.total.map(i64::from), "none");
    let special = (!draft.special.is_empty()).then_some("a list of ranks");
    found.word("special", special, "an empty list");
    let second = match draft.unfinished_second {
        UnfinishedSecond::Plus => None,
        UnfinishedSecond::Minus => Some("minus"),
    };
    found.word("unfinished_second", second, "plus");
}

fn opening(draft: &RulesDraft, found: &mut Found<'_>) {
    for (index, step) in draft.opening.steps.iter().take(crate::limits::STEPS_MAX).enumerate() {
        let book = match step {
            OpeningStep::Points(_) => None,
            OpeningStep::Book(OpeningBook::BookFromHand) => Some("book_from_hand"),
            OpeningStep::Book(OpeningBook::CleanBook) => Some("clean_book"),
        };
        let at = Place::entry("opening.steps[]", Some(index));
        found.add(at, book.map(Named::Word), "a number of points");
    }
    let wilds = match draft.opening.wilds {
        OpeningWilds::Count => None,
        OpeningWilds::Ignored => Some("ignored"),
    };
    found.word("opening.wilds", wilds, "count");
    let via_discards = match draft.opening.via_discards {
        OpeningViaDiscards::Allowed => None,
        OpeningViaDiscards::Barred => Some("barred"),
    };
    found.word("opening.via_discards", via_discards, "allowed");
}

fn discards(draft: &RulesDraft, found: &mut Found<'_>) {
    let matching = match draft.take.matching {
        TakeMatch::NaturalPair => None,
        TakeMatch::PairOrAddToMeld => Some("pair_or_add_to_meld"),
        TakeMatch::NaturalPlusWild => Some("natural_plus_wild"),
        TakeMatch::OneNatural => Some("one_natural"),
    };
    found.word("take.matching", matching, "natural_pair");
    let first = match draft.take.first_upcard {
        FirstUpcard::Matched => None,
        FirstUpcard::Free => Some("free"),
    };
    found.word("take.first_upcard", first, "matched");
    let wild = match draft.wild_discard {
        WildDiscard::Plain | WildDiscard::RemoveDiscards => None,
        WildDiscard::Freeze => Some("freeze"),
    };
    found.word("wild_discard", wild, "plain or remove_discards");
}

fn going_out(draft: &RulesDraft, found: &mut Found<'_>) {
    for (round, need) in entries(&draft.need) {
        let sevens = (need.sevens != 0).then_some(Named::Number(i64::from(need.sevens)));
        found.add(Place::entry("need[].sevens", round), sevens, "0");
    }
    let last_discard = match draft.last_discard {
        LastDiscard::Optional => None,
        LastDiscard::Required => Some("required"),
        LastDiscard::Forbidden => Some("forbidden"),
    };
    found.word("last_discard", last_discard, "optional");
}
