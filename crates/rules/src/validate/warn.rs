//! Everything odd about a draft that may be played all the same: D.2 #2 and #18 to #29.
//!
//! **Invariant:** reads the draft, refuses nothing.

use super::need::books_needed;
use super::supply::Supply;
use super::{entries, table};
use crate::limits::{OPENING_NATURALS_HIGH, STEPS_MAX, STOCK_DRAWS_LOW};
use crate::{
    BlackThreeMeld, Extend, ExtendBook, ExtendWild, FootAfterDiscard, LastDiscard, OpeningStep,
    OpeningWilds, PackChoice, Place, RedThreeMode, RulesDraft, RulesWarning, StockTrigger,
    TakeCount, TakeMatch, Warning, WildDiscard,
};

/// The warnings, in the order of D.2.
pub(super) fn warnings(draft: &RulesDraft, supply: &Supply) -> Vec<RulesWarning> {
    let mut found = Vec::new();
    stock(draft, supply, &mut found);
    melds(draft, supply, &mut found);
    taking(draft, &mut found);
    opening(draft, &mut found);
    books(draft, supply, &mut found);
    choices(draft, supply, &mut found);
    found
}

fn add(found: &mut Vec<RulesWarning>, at: Place, warning: Warning) {
    found.push(RulesWarning { at, warning });
}

/// D.2 #2.
fn stock(draft: &RulesDraft, supply: &Supply, found: &mut Vec<RulesWarning>) {
    for deal in table::deals(draft) {
        let stock = supply.cards() - deal.dealt;
        if stock < STOCK_DRAWS_LOW * deal.draw * i64::from(draft.players) {
            let warning = Warning::StockShort { stock, low: STOCK_DRAWS_LOW };
            add(found, Place::entry("packets[]", deal.round), warning);
        }
    }
}

/// D.2 #18 and #19.
fn melds(draft: &RulesDraft, supply: &Supply, found: &mut Vec<RulesWarning>) {
    let closed =
        Extend { clean: ExtendBook::None, dirty: ExtendBook::None, wild: ExtendWild::None };
    if draft.extend == closed && draft.per_rank.total == Some(1) {
        add(found, Place::of("per_rank.total"), Warning::DeadCards);
    }
    if draft.last_discard == LastDiscard::Forbidden
        && draft.black_three.meld == BlackThreeMeld::Never
        && supply.black_threes > 0
    {
        add(found, Place::of("last_discard"), Warning::BlackThreesStrand);
    }
}

/// D.2 #20.
fn taking(draft: &RulesDraft, found: &mut Vec<RulesWarning>) {
    for (round, count) in entries(&draft.take.count) {
        let at = Place::entry("take.count[]", round);
        match *count {
            TakeCount::Top(count) if draft.take.min_size > count => {
                let min_size = draft.take.min_size;
                add(found, at, Warning::TakeMinSizeOverCount { min_size, count });
            }
            TakeCount::Top(1) => add(found, at, Warning::TakeUpcardAlone),
            TakeCount::Top(_) | TakeCount::All => {}
        }
    }
}

/// D.2 #21.
fn opening(draft: &RulesDraft, found: &mut Vec<RulesWarning>) {
    if draft.opening.wilds == OpeningWilds::Count {
        return;
    }
    for (index, step) in draft.opening.steps.iter().take(STEPS_MAX).enumerate() {
        match *step {
            OpeningStep::Points(points) if points > OPENING_NATURALS_HIGH => {
                let at = Place::entry("opening.steps[]", Some(index));
                add(found, at, Warning::OpeningNaturalsHigh { points });
            }
            OpeningStep::Points(_) | OpeningStep::Book(_) => {}
        }
    }
}

/// D.2 #22 and #23.
fn books(draft: &RulesDraft, supply: &Supply, found: &mut Vec<RulesWarning>) {
    let teams = i64::from(draft.players.checked_div(draft.team_size).unwrap_or(1));
    let cards = supply.cards();
    for (round, need) in entries(&draft.need) {
        let needed = i64::from(draft.book_size) * books_needed(*need) * teams;
        if needed > cards {
            let warning = Warning::NeedExceedsPack { needed, cards };
            add(found, Place::entry("need[]", round), warning);
        }
    }
    let bonus = draft.book_bonus;
    let best = bonus.clean.max(bonus.dirty).max(bonus.wild);
    let held = draft.red_three.held;
    if draft.red_three.mode == RedThreeMode::Penalty && i64::from(held) < -i64::from(best) {
        add(found, Place::of("red_three.held"), Warning::RedThreeHeldHeavy { held, best });
    }
}

/// D.2 #24 to #29.
fn choices(draft: &RulesDraft, supply: &Supply, found: &mut Vec<RulesWarning>) {
    if draft.stock_out.trigger == StockTrigger::Empty
        && draft.take.count.values().contains(&TakeCount::All)
    {
        add(found, Place::of("stock_out.trigger"), Warning::EmptyStockTakeAll);
    }
    let open = draft.per_rank.open;
    if open > 1 {
        add(found, Place::of("per_rank.open"), Warning::SeveralOpenMelds { open });
    }
    if draft.foot.after_discard == FootAfterDiscard::NotAllowed {
        add(found, Place::of("foot.after_discard"), Warning::LastCardStuck);
    }
    let (cards, book_size) = (supply.black_threes, draft.book_size);
    if draft.black_three.book_bonus.is_some() && cards < i64::from(book_size) {
        let warning = Warning::BlackThreeBookImpossible { cards, book_size };
        add(found, Place::of("black_three.book_bonus"), warning);
    }
    if draft.pack == PackChoice::Standard && draft.jokers_per_deck == 0 {
        add(found, Place::of("jokers_per_deck"), Warning::NoJokers);
    }
    if draft.wild_discard == WildDiscard::Freeze && draft.take.matching == TakeMatch::NaturalPair {
        add(found, Place::of("wild_discard"), Warning::FreezeChangesNothing);
    }
}
