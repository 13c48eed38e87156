//! Checks of the opening, the discard pile, the end and the score: D.1 #20 to #26, #31 to #35.
//!
//! **Invariant:** reads the draft, changes nothing, stops at nothing.

use handfoot_cards::{KIND_CARDS_MAX, PACK_CARDS_MAX};

use super::supply::Supply;
use super::{Problems, entries};
use crate::limits::{
    DECKS_ADDED, OUT_BONUS, POINTS, ROUND_LIST_MAX, ROUNDS, STEPS_MAX, TAKE_COUNT, TAKE_MIN_SIZE,
    TARGET_MAX,
};
use crate::{
    OpeningBook, OpeningBy, OpeningStep, Place, Problem, RulesDraft, StockThen, TakeCount,
    WildMeld, WildTop,
};

pub(super) fn check(draft: &RulesDraft, supply: &Supply, problems: &mut Problems) {
    steps(draft, problems);
    match &draft.opening.by {
        OpeningBy::Round => {}
        OpeningBy::TeamScore(thresholds) => score_steps(draft, thresholds, problems),
    }
    take(draft, problems);
    stock_out(draft, supply, problems);
    problems.range("out_bonus", draft.out_bonus, &OUT_BONUS);
    length(draft, problems);
}

/// D.2 #10.
fn steps(draft: &RulesDraft, problems: &mut Problems) {
    let steps = &draft.opening.steps;
    if steps.is_empty() {
        problems.add("opening.steps", Problem::OpeningStepsEmpty);
    }
    problems.length("opening.steps", steps.len(), STEPS_MAX);
    for (index, step) in steps.iter().take(STEPS_MAX).enumerate() {
        let at = Place::entry("opening.steps[]", Some(index));
        match *step {
            OpeningStep::Points(points) if points < 0 => {
                problems.add_at(at, Problem::OpeningStepNegative { points });
            }
            OpeningStep::Points(points) => problems.range_at(at, points, &(0..=*POINTS.end())),
            OpeningStep::Book(OpeningBook::BookFromHand) => {
                let (cards, book_size) = (own_cards(draft, index), draft.book_size);
                if cards < i64::from(book_size) {
                    problems.add_at(at, Problem::OpeningBookTooLarge { cards, book_size });
                }
            }
            OpeningStep::Book(OpeningBook::CleanBook) => {}
        }
    }
}

/// Fewest cards that a seat holds after its first draw in a round to which a step may apply.
fn own_cards(draft: &RulesDraft, step: usize) -> i64 {
    let last_step = draft.opening.steps.len().saturating_sub(1);
    let applies = |round: &usize| match draft.opening.by {
        OpeningBy::Round => (*round).min(last_step) == step,
        OpeningBy::TeamScore(_) => true,
    };
    (0..ROUND_LIST_MAX)
        .filter(applies)
        .filter_map(|round| {
            let hand = draft.packets.get(round)?.first()?;
            Some(i64::from(*hand) + i64::from(*draft.draw.get(round)?))
        })
        .min()
        .unwrap_or(i64::MAX)
}

/// D.2 #11.
fn score_steps(draft: &RulesDraft, thresholds: &[i32], problems: &mut Problems) {
    let field = "opening.by.team_score";
    if thresholds.is_empty() {
        problems.add(field, Problem::ThresholdsEmpty);
    } else if thresholds.len() != draft.opening.steps.len() {
        let steps = draft.opening.steps.len();
        let problem = Problem::ThresholdsDoNotMatchSteps { thresholds: thresholds.len(), steps };
        problems.add(field, problem);
    }
    problems.length(field, thresholds.len(), STEPS_MAX);
    for (index, threshold) in thresholds.iter().copied().take(STEPS_MAX).enumerate() {
        let at = Place::entry("opening.by.team_score[]", Some(index));
        problems.range_at(at, threshold, &POINTS);
        match index.checked_sub(1).and_then(|before| thresholds.get(before)) {
            Some(previous) if *previous >= threshold => {
                let (previous, actual) = (*previous, threshold);
                problems.add_at(at, Problem::ThresholdsNotRising { previous, actual });
            }
            Some(_) | None => {}
        }
    }
}

/// D.2 #8, and the limits of taking.
fn take(draft: &RulesDraft, problems: &mut Problems) {
    problems.rounds("take.count", &draft.take.count);
    for (round, count) in entries(&draft.take.count) {
        match *count {
            TakeCount::Top(count) => {
                problems.range_at(Place::entry("take.count[]", round), count, &TAKE_COUNT);
            }
            TakeCount::All => {}
        }
    }
    problems.range("take.min_size", draft.take.min_size, &TAKE_MIN_SIZE);
    if draft.take.wild_top == WildTop::MatchingPair && draft.wild_meld == WildMeld::Barred {
        problems.add("take.wild_top", Problem::WildTopWithoutWildMeld);
    }
}

/// D.2 #17.
fn stock_out(draft: &RulesDraft, supply: &Supply, problems: &mut Problems) {
    let field = "stock_out.max_added";
    match (draft.stock_out.then, draft.stock_out.max_added) {
        (StockThen::AddDeck, None) => problems.add(field, Problem::MaxAddedMissing),
        (StockThen::AddDeck, Some(max_added)) => {
            problems.range(field, max_added, &DECKS_ADDED);
            decks_added(supply, i64::from(max_added), problems);
        }
        (
            StockThen::EndRound | StockThen::ReshuffleDiscards | StockThen::PlayOn,
            Some(max_added),
        ) => problems.add(field, Problem::MaxAddedUnused { max_added }),
        (StockThen::EndRound | StockThen::ReshuffleDiscards | StockThen::PlayOn, None) => {}
    }
}

/// The pack stays within what a round can hold with every deck that may be added.
fn decks_added(supply: &Supply, max_added: i64, problems: &mut Problems) {
    let most = i64::try_from(PACK_CARDS_MAX).unwrap_or(i64::MAX);
    let cards = supply.cards().saturating_add(supply.deck.saturating_mul(max_added));
    let of_kind = supply.kind_max.saturating_mul(max_added.saturating_add(1));
    let kind_most = i64::try_from(KIND_CARDS_MAX).unwrap_or(i64::MAX);
    let is_named = supply.kind_max > 0;
    if supply.cards() <= most && (cards > most || is_named && of_kind > kind_most) {
        let too_large = Problem::PackTooLarge { cards, most: PACK_CARDS_MAX };
        problems.add("stock_out.max_added", too_large);
    }
}

/// D.2 #15.
fn length(draft: &RulesDraft, problems: &mut Problems) {
    let (rounds, target) = (draft.length.rounds, draft.length.target);
    if rounds.is_none() && target.is_none() {
        problems.add("length", Problem::LengthMissing);
    }
    if let Some(rounds) = rounds {
        problems.range("length.rounds", rounds, &ROUNDS);
    }
    match target {
        Some(target) if target < 1 => {
            problems.add("length.target", Problem::TargetTooSmall { target });
        }
        Some(target) => problems.range("length.target", target, &(1..=TARGET_MAX)),
        None => {}
    }
}
