//! What a round counts, with an example. D.1 #33 and #34.
//!
//! **Invariant:** the example is added up from the rule set's own values.

use handfoot_cards::{Kind, Role};
use handfoot_rules::{BlackThreeMeld, MeldKind, RedThreeMode, UnfinishedSecond};

use super::{Page, row};
use crate::facts::{Facts, Sides};
use crate::words::{capital, counted, digits, points};

pub(super) fn page(facts: Facts<'_>) -> Page {
    let mut page = Page::default();
    let side = facts.side();
    page.say([format!("When the round has ended, each {side} adds up:")]);
    page.list(lines(facts));
    page.say([
        "A round can end below zero. Both those who went out and all others score what they have."
            .to_owned(),
    ]);
    example(facts, &mut page);
    page
}

fn lines(facts: Facts<'_>) -> Vec<String> {
    let bonus = facts.draft.book_bonus;
    let value = |kind: MeldKind| match kind {
        MeldKind::Clean => bonus.clean,
        MeldKind::Dirty => bonus.dirty,
        MeldKind::Wild => bonus.wild,
    };
    let mut lines = vec!["for every card melded, its points;".to_owned()];
    for kind in facts.book_kinds() {
        lines.push(format!("for every {} book, {};", kind.name(), points(value(kind))));
    }
    for special in &facts.draft.special {
        let Some(kind) = facts.rules.pack().kind_named(&special.rank) else { continue };
        lines.push(format!(
            "for every clean book of {}, {} in place of that;",
            facts.cards.many(kind),
            points(special.book_bonus)
        ));
    }
    if facts.has_blacks()
        && facts.draft.black_three.meld != BlackThreeMeld::Never
        && let Some(bonus) = facts.draft.black_three.book_bonus
    {
        let blacks = facts.blacks();
        lines.push(format!("for every book of {blacks}, {};", points(bonus)));
    }
    let threes = match facts.red_mode() {
        Some(RedThreeMode::Bonus) => Some("laid"),
        Some(RedThreeMode::Blocker) => Some("added to a book"),
        Some(RedThreeMode::Penalty) | None => None,
    };
    if let (Some(word), Some(laid)) = (threes, facts.draft.red_three.laid) {
        lines.push(format!("for every {} {word}, {};", facts.red(), points(laid)));
    }
    if facts.draft.out_bonus != 0 {
        lines.push(format!("for going out, {};", points(facts.draft.out_bonus)));
    }
    let held = match facts.sides {
        Sides::Alone => "less the points of every card still held, packets not taken up included;",
        Sides::Pairs | Sides::Teams => {
            "less the points of every card that anybody of the team still holds, packets not \
             taken up included, the partner of whoever went out not excepted;"
        }
    };
    lines.push(held.to_owned());
    if facts.red_mode().is_some() {
        let held = facts.draft.red_three.held;
        lines.push(match held {
            held if held <= 0 => {
                format!(
                    "less {} for every {} still held;",
                    points(held.saturating_neg()),
                    facts.red()
                )
            }
            held => format!("for every {} still held, {};", facts.red(), points(held)),
        });
    }
    lines.push(match facts.draft.unfinished_second {
        UnfinishedSecond::Plus => "no bonus for melds that are not finished.".to_owned(),
        UnfinishedSecond::Minus => "no bonus for melds that are not finished; the cards of an \
                                    unfinished meld whose rank already has a book count against \
                                    and not for."
            .to_owned(),
    });
    lines
}

/// Books that are melded in the example.
struct Books {
    clean: usize,
    dirty: usize,
    wild: usize,
    sevens: usize,
}

/// A made-up round, added up line by line.
fn example(facts: Facts<'_>, page: &mut Page) {
    let need = facts.rules.round(0).need;
    let kinds = facts.book_kinds();
    let has = |kind| usize::from(kinds.contains(&kind));
    let dirty_books = usize::from(need.dirty.max(1)) * has(MeldKind::Dirty);
    let wild_books = usize::from(need.wild) * has(MeldKind::Wild);
    let sevens = usize::from(need.sevens);
    let others = dirty_books + wild_books + sevens;
    let books = Books {
        clean: usize::from(need.clean.max(1)).max(usize::from(need.total).saturating_sub(others)),
        dirty: dirty_books,
        wild: wild_books,
        sevens,
    };
    let dearest = facts.dearest();
    let Some(kind) = dearest.get(1).or(dearest.first()).copied() else { return };
    let size = facts.draft.book_size;
    let one = facts.rules.value(kind);
    let cards = format!("{}-point cards", digits(i64::from(one)));
    let side = facts.side();
    let mut rows = vec![row(["In the example", "Points"])];
    let mut total = 0;
    let mut add = |name: String, points: i32| {
        total += points;
        rows.push(vec![name, digits(i64::from(points))]);
    };
    let bonus = facts.draft.book_bonus;
    let times = |count: usize| i32::try_from(count).unwrap_or(0);
    add(
        format!("{} of {cards}", counted(books.clean, "clean book")),
        times(books.clean) * (bonus.clean + one * i32::from(size)),
    );
    if let Some(special) = facts.draft.special.first().filter(|_| books.sevens > 0)
        && let Some(kind) = facts.rules.pack().kind_named(&special.rank)
    {
        let cards = facts.rules.value(kind) * i32::from(size);
        add(
            format!("{} of {}", counted(books.sevens, "clean book"), facts.cards.many(kind)),
            times(books.sevens) * (special.book_bonus + cards),
        );
    }
    if let Some((wild, wilds)) = dirty(facts).filter(|_| books.dirty > 0) {
        let naturals = size - wilds;
        let points = one * i32::from(naturals) + facts.rules.value(wild) * i32::from(wilds);
        let each = if books.dirty == 1 { "" } else { " in each" };
        add(
            format!(
                "{} of {cards} with {}{each}",
                counted(books.dirty, "dirty book"),
                facts.cards.some(usize::from(wilds), wild)
            ),
            times(books.dirty) * (bonus.dirty + points),
        );
    }
    if let Some(wild) = facts.cards.kinds(Role::Wild).first().filter(|_| books.wild > 0) {
        let cards = facts.rules.value(*wild) * i32::from(size);
        add(
            format!("{} of {}", counted(books.wild, "wild book"), facts.cards.many(*wild)),
            times(books.wild) * (bonus.wild + cards),
        );
    }
    if facts.red_mode() == Some(RedThreeMode::Bonus)
        && let (None, Some(laid)) = (facts.draft.red_three.needs, facts.draft.red_three.laid)
    {
        add(format!("two {} laid", facts.reds()), 2 * laid);
    }
    if facts.draft.out_bonus != 0 {
        add("going out".to_owned(), facts.draft.out_bonus);
    }
    if facts.sides != Sides::Alone {
        let held = held(facts, kind);
        add(held.0, held.1);
    }
    let verdict = format!("The {side} scores {} in that round.", points(total));
    page.say([format!(
        "Take a {side} {} went out in the first round{}.",
        if facts.sides == Sides::Alone { "who" } else { "that" },
        match facts.sides {
            Sides::Alone => "",
            Sides::Pairs | Sides::Teams => ", while a partner still held some cards",
        }
    )]);
    page.table(rows);
    page.say([capital(&verdict)]);
}

/// The wild card of a dirty book, and how many.
fn dirty(facts: Facts<'_>) -> Option<(Kind, u8)> {
    let wild = facts.cards.kinds(Role::Wild).first().copied()?;
    let wilds = facts.wilds_in(facts.draft.book_size).min(2);
    (wilds > 0).then_some((wild, wilds))
}

/// What a partner still holds.
fn held(facts: Facts<'_>, kind: Kind) -> (String, i32) {
    let two = 2 * facts.rules.value(kind);
    match facts.cards.kinds(Role::BlackThree).first() {
        Some(black) => (
            format!(
                "two {} and {} held",
                facts.cards.many(kind),
                crate::words::a(&facts.cards.one(*black))
            ),
            -two - facts.rules.value(*black),
        ),
        None => (format!("two {} held", facts.cards.many(kind)), -two),
    }
}
