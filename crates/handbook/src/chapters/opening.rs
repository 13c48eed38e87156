//! A team's first lay-down of a round. D.1 #20 to #22.
//!
//! **Invariant:** examples are added up from the rule set's own values.

use handfoot_cards::Role;
use handfoot_rules::{OpeningBook, OpeningBy, OpeningStep, OpeningViaDiscards, OpeningWilds};

use super::{Page, row};
use crate::facts::{Facts, Sides};
use crate::words::{capital, digits, listed, number, ordinal, points};

pub(super) fn page(facts: Facts<'_>) -> Page {
    let mut page = Page::default();
    let us = facts.us();
    let alone = facts.sides == Sides::Alone;
    page.say([
        format!(
            "The first time in a round that {us} {} cards, they must be worth enough, all in one \
             go.",
            if alone { "lay" } else { "lays" }
        ),
        match facts.sides {
            Sides::Alone => "Until then you have not opened and can lay nothing less.".to_owned(),
            Sides::Pairs | Sides::Teams => {
                "Whoever of you does it opens for all of you; until then nobody of the team can \
                 lay anything less."
                    .to_owned()
            }
        },
        "You may put several melds together for it.".to_owned(),
    ]);
    page.say([what_picks(facts)]);
    page.table(steps(facts));
    page.say(what_counts(facts));
    if let Some(example) = example(facts) {
        page.say(example);
    }
    page
}

fn what_picks(facts: Facts<'_>) -> String {
    let side = facts.side();
    match facts.draft.opening.by {
        OpeningBy::Round => "What is asked for depends on the round:".to_owned(),
        OpeningBy::TeamScore(_) => format!(
            "What is asked for depends on the {side}'s total score when the round begins, and \
             stays the same for the whole round:"
        ),
    }
}

fn steps(facts: Facts<'_>) -> Vec<Vec<String>> {
    let step = |step: &OpeningStep| match step {
        OpeningStep::Points(points) => format!("{} points", digits(i64::from(*points))),
        OpeningStep::Book(OpeningBook::BookFromHand) => {
            "a complete book from your own cards".to_owned()
        }
        OpeningStep::Book(OpeningBook::CleanBook) => "a clean book".to_owned(),
    };
    let steps = &facts.draft.opening.steps;
    match &facts.draft.opening.by {
        OpeningBy::Round => {
            let mut rows = vec![row(["Round", "At least"])];
            let rounds = facts.draft.length.rounds.map_or(usize::MAX, usize::from);
            let shown = steps.len().min(rounds);
            for (index, at) in steps.iter().take(shown).enumerate() {
                let is_last = index + 1 == shown && shown < rounds;
                let name = if is_last && shown == 1 {
                    "every round".to_owned()
                } else if is_last {
                    format!("{} and later", ordinal(index + 1))
                } else {
                    ordinal(index + 1)
                };
                rows.push(vec![name, step(at)]);
            }
            rows
        }
        OpeningBy::TeamScore(scores) => {
            let mut rows = vec![row(["Score", "At least"])];
            for (index, (score, at)) in scores.iter().zip(steps).enumerate() {
                let next = scores.get(index + 1).map(|next| digits(i64::from(*next)));
                let score = digits(i64::from(*score));
                let name = match (index, next) {
                    (0, Some(next)) => format!("below {next}"),
                    (0, None) => "any".to_owned(),
                    (_, Some(next)) => format!("{score} and more, below {next}"),
                    (_, None) => format!("{score} and more"),
                };
                rows.push(vec![name, step(at)]);
            }
            rows
        }
    }
}

fn books(facts: Facts<'_>) -> (bool, bool) {
    let steps = &facts.draft.opening.steps;
    let has = |book| steps.contains(&OpeningStep::Book(book));
    (has(OpeningBook::BookFromHand), has(OpeningBook::CleanBook))
}

fn what_counts(facts: Facts<'_>) -> Vec<String> {
    let mut text = Vec::new();
    text.push(match facts.draft.opening.wilds {
        OpeningWilds::Count => {
            "Only the points of the cards count, wild cards included.".to_owned()
        }
        OpeningWilds::Ignored => {
            "Only the points of the natural cards count; wild cards may be laid with them but \
             count nothing here."
                .to_owned()
        }
    });
    text.push(match facts.red_mode() {
        Some(handfoot_rules::RedThreeMode::Bonus) => {
            format!("Bonuses for books do not count, and {} do not.", facts.reds())
        }
        Some(_) | None => "Bonuses for books do not count.".to_owned(),
    });
    text.push(match facts.draft.opening.via_discards {
        OpeningViaDiscards::Allowed => {
            "You may take the discard pile to open: then its top card counts with the cards of \
             your own that you lay, and none of the cards below it."
                .to_owned()
        }
        OpeningViaDiscards::Barred => format!(
            "You cannot open by taking the discard pile: it can be taken only when {} opened.",
            facts.we_have()
        ),
    });
    let size = number(usize::from(facts.draft.book_size));
    let (from_hand, clean) = books(facts);
    if from_hand {
        text.push(format!(
            "A complete book from your own cards is one meld of {size} cards of any kind, in a \
             turn in which you drew from the stock; its points do not matter, and other melds may \
             go with it."
        ));
    }
    if clean {
        text.push(format!(
            "A clean book is one meld of {size} natural cards; its points do not matter, and \
             other melds may go with it."
        ));
    }
    text
}

/// Melds that fall short of the first minimum, and melds that reach it.
fn example(facts: Facts<'_>) -> Option<Vec<String>> {
    let OpeningStep::Points(minimum) = *facts.draft.opening.steps.first()? else { return None };
    let size = usize::from(facts.draft.meld_min);
    let dearest = facts.dearest();
    let value = |kind| facts.rules.value(kind);
    let meld =
        |kind, count: usize| value(kind).saturating_mul(i32::try_from(count).unwrap_or(i32::MAX));
    let mut text = Vec::new();
    let cheapest = *dearest.last()?;
    let book = usize::from(facts.draft.book_size);
    let short = meld(cheapest, book);
    if short < minimum && facts.cards.number(cheapest) >= book {
        text.push(format!(
            "For example, {} laid alone are a whole book but only {}, which is not enough for {}.",
            facts.cards.some(book, cheapest),
            points(short),
            digits(i64::from(minimum))
        ));
    }
    let mut melds: Vec<String> = Vec::new();
    let mut total = 0;
    for kind in dearest.iter().skip(1).chain(dearest.first()) {
        if total >= minimum || value(*kind) <= 0 || melds.len() == 4 {
            break;
        }
        total += meld(*kind, size);
        melds.push(facts.cards.some(size, *kind));
    }
    if total >= minimum && !melds.is_empty() {
        let start = if text.is_empty() { "For example, " } else { "" };
        let melds = listed(&melds, "and");
        let melds = if text.is_empty() { melds } else { capital(&melds) };
        text.push(format!("{start}{melds} are {}, which is enough.", points(total)));
    }
    text.extend(wild_example(facts, minimum));
    (!text.is_empty()).then_some(text)
}

/// One wild card in a meld of the dearest naturals, if it may be there.
fn wild_example(facts: Facts<'_>, minimum: i32) -> Option<String> {
    let wild = *facts.cards.kinds(Role::Wild).last()?;
    let kind = *facts.dearest().get(1)?;
    let naturals = (1..facts.draft.book_size).find(|n| facts.rules.wilds_max(*n) > 0)?;
    let size = naturals.max(facts.draft.meld_min.saturating_sub(1));
    let own = facts.rules.value(kind) * i32::from(size);
    let worth = match facts.draft.opening.wilds {
        OpeningWilds::Count => own + facts.rules.value(wild),
        OpeningWilds::Ignored => own,
    };
    let verdict = if worth >= minimum { "which is enough too" } else { "which is not enough" };
    let with = crate::words::a(&facts.cards.one(wild));
    Some(format!(
        "{} with {with} are {}, {verdict}.",
        capital(&facts.cards.some(usize::from(size), kind)),
        points(worth)
    ))
}
