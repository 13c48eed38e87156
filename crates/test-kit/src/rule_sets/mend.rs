//! Makes sense of a random draft: what cannot be together gives way.
//!
//! **Invariant:** each step undoes one thing that validation would refuse, and nothing else.

use handfoot_rules::*;

pub(super) fn mend(draft: &mut RulesDraft) {
    table(draft);
    threes(draft);
    melds(draft);
    if let PerRound::Same(need) = &mut draft.need {
        *need = mended(*need, &draft.special, draft.wild_meld);
    }
    if let PerRound::Each(needs) = &mut draft.need {
        for need in needs {
            *need = mended(*need, &draft.special, draft.wild_meld);
        }
    }
    dirty_books(draft);
    opening(draft);
    if draft.stock_out.then != StockThen::AddDeck {
        draft.stock_out.max_added = None;
    }
    if draft.length.rounds.is_none() && draft.length.target.is_none() {
        draft.length.rounds = Some(1);
    }
}

/// D.2 #14: with the first book there are two packets at most.
fn table(draft: &mut RulesDraft) {
    if draft.foot.trigger == FootTrigger::HandEmpty {
        return;
    }
    match &mut draft.packets {
        PerRound::Same(sizes) => sizes.truncate(2),
        PerRound::Each(rounds) => rounds.iter_mut().for_each(|sizes| sizes.truncate(2)),
    }
}

/// D.2 #12 and #16.
fn threes(draft: &mut RulesDraft) {
    let has_threes = match &draft.pack {
        PackChoice::Standard => true,
        PackChoice::Kinds(kinds) => kinds.iter().any(|kind| kind.name == "Lady"),
    };
    let red = &mut draft.red_three;
    if red.mode == RedThreeMode::Penalty || !has_threes {
        (red.all, red.needs) = (None, None);
    }
    if red.mode == RedThreeMode::Penalty {
        (red.laid, red.from_discards) = (None, FromDiscards::NotReplaced);
    }
    if !has_threes {
        draft.black_three =
            BlackThree { meld: BlackThreeMeld::Never, melded_value: None, book_bonus: None };
    }
}

/// D.2 #3 and #8.
fn melds(draft: &mut RulesDraft) {
    draft.book_size = draft.book_size.max(draft.meld_min + 1);
    if draft.wild_meld == WildMeld::Barred {
        draft.take.wild_top = WildTop::Barred;
    }
}

/// D.2 #5 and #9.
fn mended(need: Need, special: &[SpecialRank], wild_meld: WildMeld) -> Need {
    let sevens = if special.is_empty() { 0 } else { need.sevens };
    let wild = if wild_meld == WildMeld::Barred { 0 } else { need.wild };
    Need { sevens, wild, ..need }
}

/// D.2 #6: a book whose limit allows no wild card cannot be dirty.
fn dirty_books(draft: &mut RulesDraft) {
    let (limit, size) = (draft.wild_limit, i32::from(draft.book_size));
    let naturals = size - 1;
    let (above, below) = (i32::from(limit.a.numerator), i32::from(limit.a.denominator));
    let has_room = limit.max != Some(0)
        && naturals >= i32::from(limit.min_natural)
        && (naturals - i32::from(limit.b)) * below >= above;
    if has_room {
        return;
    }
    match &mut draft.need {
        PerRound::Same(need) => need.dirty = 0,
        PerRound::Each(needs) => needs.iter_mut().for_each(|need| need.dirty = 0),
    }
}

/// D.2 #10: a book from the hand needs a hand that can hold one.
fn opening(draft: &mut RulesDraft) {
    let least = |round: usize| {
        let hand = draft.packets.get(round).and_then(|sizes| sizes.first().copied());
        Some(hand? + draft.draw.get(round).copied()?)
    };
    let held = (0..ROUNDS_MAX).filter_map(least).min().unwrap_or(0);
    if held < draft.book_size {
        for step in &mut draft.opening.steps {
            if *step == OpeningStep::Book(OpeningBook::BookFromHand) {
                *step = OpeningStep::Points(50);
            }
        }
    }
}
