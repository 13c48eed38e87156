//! Checks of melds and of the books a team needs: D.1 #14 to #18 and #27.
//!
//! **Invariant:** reads the draft, changes nothing, stops at nothing.

use super::supply::Supply;
use super::{Problems, entries};
use crate::limits::{BOOK_SIZE_MAX, MELD_MIN_MAX, OPEN_MELDS, POINTS, RATIO_MAX, TOTAL_MELDS};
use crate::rules::wild_limit;
use crate::{Need, Place, Problem, RulesDraft, WildMeld};

pub(super) fn check(draft: &RulesDraft, supply: &Supply, problems: &mut Problems) {
    melds(draft, problems);
    limit(draft, problems);
    problems.rounds("need", &draft.need);
    for (round, need) in entries(&draft.need) {
        clean(draft, supply, (round, *need), problems);
        dirty(draft, supply, (round, *need), problems);
        wild(draft, supply, (round, *need), problems);
        sevens(draft, supply, (round, *need), problems);
        cards(draft, supply, (round, *need), problems);
    }
    for (field, points) in [
        ("book_bonus.clean", draft.book_bonus.clean),
        ("book_bonus.dirty", draft.book_bonus.dirty),
        ("book_bonus.wild", draft.book_bonus.wild),
    ] {
        problems.range(field, points, &POINTS);
    }
}

/// D.2 #3, and the limits of `per_rank`.
fn melds(draft: &RulesDraft, problems: &mut Problems) {
    let RulesDraft { meld_min, book_size, .. } = *draft;
    if meld_min < 2 {
        problems.add("meld_min", Problem::MeldMinTooSmall { meld_min });
    }
    problems.range("meld_min", meld_min, &(0..=MELD_MIN_MAX));
    if book_size <= meld_min {
        problems.add("book_size", Problem::BookTooSmall { book_size, meld_min });
    }
    problems.range("book_size", book_size, &(0..=BOOK_SIZE_MAX));
    problems.range("per_rank.open", draft.per_rank.open, &OPEN_MELDS);
    if let Some(total) = draft.per_rank.total {
        problems.range("per_rank.total", total, &TOTAL_MELDS);
    }
}

/// D.2 #7.
fn limit(draft: &RulesDraft, problems: &mut Problems) {
    let limit = draft.wild_limit;
    let (numerator, denominator) = (limit.a.numerator, limit.a.denominator);
    if denominator < 1 {
        problems.add("wild_limit.a", Problem::WildLimitNoFraction { numerator, denominator });
    } else if numerator < 0 {
        problems.add("wild_limit.a", Problem::WildLimitNegative { numerator, denominator });
    }
    // What is below the least of these has just been refused.
    problems.range("wild_limit.a", numerator, &(i64::from(i16::MIN)..=RATIO_MAX));
    problems.range("wild_limit.a", denominator, &(i64::from(i16::MIN)..=RATIO_MAX));
    if limit.min_natural < 1 {
        let min_natural = limit.min_natural;
        problems.add("wild_limit.min_natural", Problem::WildLimitWithoutNaturals { min_natural });
    }
}

/// One contract and its round, if there is one a round.
type Contract = (Option<usize>, Need);

/// D.2 #4.
fn clean(draft: &RulesDraft, supply: &Supply, (round, need): Contract, problems: &mut Problems) {
    let most = supply.clean_ranks(draft).map(|cards| books(draft, cards)).sum();
    // Clean books of a special rank are clean books beside those.
    let needed = i64::from(need.clean) + i64::from(need.sevens);
    if need.clean > 0 && needed > most {
        let problem = Problem::NeedTooManyClean { needed, most };
        problems.add_at(Place::entry("need[].clean", round), problem);
    }
    let needed = needed + i64::from(need.dirty);
    if let Some(total) = draft.per_rank.total {
        let ranks = i64::try_from(supply.clean_ranks(draft).count()).unwrap_or(i64::MAX);
        let most = ranks.saturating_mul(i64::from(total));
        if needed > most {
            let problem = Problem::NeedTooManyForRanks { needed, most };
            problems.add_at(Place::entry("need[]", round), problem);
        }
    }
}

/// D.2 #6.
fn dirty(draft: &RulesDraft, supply: &Supply, (round, need): Contract, problems: &mut Problems) {
    let (needed, book_size) = (need.dirty, draft.book_size);
    if needed == 0 {
        return;
    }
    let at = Place::entry("need[].dirty", round);
    // Without a fraction there is no limit to ask; that is refused as such.
    let is_fraction = draft.wild_limit.a.denominator >= 1;
    if is_fraction && !(1..book_size).any(|wilds| wild_limit(draft, book_size - wilds) >= wilds) {
        problems.add_at(at, Problem::NeedDirtyBarred { needed, book_size });
    }
    if supply.wilds == 0 {
        problems.add_at(at, Problem::NeedDirtyWithoutWilds { needed });
    }
}

/// D.2 #5.
fn wild(draft: &RulesDraft, supply: &Supply, (round, need): Contract, problems: &mut Problems) {
    let needed = need.wild;
    let at = Place::entry("need[].wild", round);
    let most = books(draft, supply.wilds);
    if needed > 0 && draft.wild_meld == WildMeld::Barred {
        problems.add_at(at, Problem::NeedWildBarred { needed });
    }
    if i64::from(needed) > most {
        problems.add_at(at, Problem::NeedTooManyWild { needed, most });
    }
}

/// D.2 #9.
fn sevens(draft: &RulesDraft, supply: &Supply, (round, need): Contract, problems: &mut Problems) {
    let needed = need.sevens;
    if needed == 0 {
        return;
    }
    let at = Place::entry("need[].sevens", round);
    if draft.special.is_empty() {
        problems.add_at(at, Problem::NeedSevensWithoutSpecial { needed });
        return;
    }
    let most = draft
        .special
        .iter()
        .filter_map(|special| supply.rank_named(draft, &special.rank))
        .map(|cards| books(draft, cards))
        .sum();
    if i64::from(needed) > most {
        problems.add_at(at, Problem::NeedTooManySevens { needed, most });
    }
}

/// D.2 #4, last part: one team's books must fit into the cards that can be melded.
fn cards(draft: &RulesDraft, supply: &Supply, (round, need): Contract, problems: &mut Problems) {
    let cards = supply.clean_ranks(draft).sum::<i64>() + supply.wilds;
    let needed = i64::from(draft.book_size) * books_needed(need);
    if needed > cards {
        problems.add_at(Place::entry("need[]", round), Problem::NeedTooManyCards { needed, cards });
    }
}

/// Books that a contract takes at least; a clean book of a special rank serves for one of them
/// only. B98.
pub(super) fn books_needed(need: Need) -> i64 {
    let clean = i64::from(need.clean) + i64::from(need.sevens);
    (clean + i64::from(need.dirty) + i64::from(need.wild)).max(i64::from(need.total))
}

/// Books that so many cards of one kind make.
fn books(draft: &RulesDraft, cards: i64) -> i64 {
    let most = draft.per_rank.total.map_or(i64::MAX, i64::from);
    (cards / i64::from(draft.book_size.max(1))).min(most)
}
