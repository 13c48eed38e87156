//! What a round counts, with an example. D.1 #33 and #34.
//!
//! **Invariant:** the example is added up from the rule set's own values.

use handfoot_cards::{Kind, Role};
use handfoot_rules::{BlackThreeMeld, MeldKind, RedThreeMode, UnfinishedSecond};

use super::{Page, row};
use crate::facts::{Facts, Sides};
use crate::words::{counted, digits, points};

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

/// A made-up round, added up line by line.
struct Sheet<'a> {
    facts: Facts<'a>,
    /// The natural kind whose points stand for all.
    kind: Kind,
    rows: Vec<Vec<String>>,
    total: i32,
}

/// A made-up round of a side that went out in the first one.
fn example(facts: Facts<'_>, page: &mut Page) {
    let dearest = facts.dearest();
    let Some(kind) = dearest.get(1).or(dearest.first()).copied() else { return };
    let rows = vec![row(["In the example", "Points"])];
    let mut sheet = Sheet { facts, kind, rows, total: 0 };
    sheet.books();
    sheet.others();
    let side = facts.side();
    page.say([match facts.sides {
        Sides::Alone => format!("Take a {side} who went out in the first round."),
        Sides::Pairs | Sides::Teams => format!(
            "Take a {side} that went out in the first round, while a partner still held some \
             cards."
        ),
    }]);
    page.table(sheet.rows);
    page.say([format!("The {side} scores {} in that round.", points(sheet.total))]);
}

impl Sheet<'_> {
    fn add(&mut self, name: String, points: i32) {
        self.total += points;
        self.rows.push(vec![name, digits(i64::from(points))]);
    }

    /// Adds books of a kind, each with its bonus and the points of its cards.
    fn add_books(&mut self, count: usize, kind: &str, of: &str, each: i32) {
        if count > 0 {
            let times = i32::try_from(count).unwrap_or(0);
            self.add(format!("{} of {of}", counted(count, &format!("{kind} book"))), times * each);
        }
    }

    /// The books of the first round's contract, and one clean and one dirty at least.
    fn books(&mut self) {
        let facts = self.facts;
        let need = facts.rules.round(0).need;
        let kinds = facts.book_kinds();
        let has = |kind| usize::from(kinds.contains(&kind));
        let dirty_books = usize::from(need.dirty.max(1)) * has(MeldKind::Dirty);
        let wild_books = usize::from(need.wild) * has(MeldKind::Wild);
        let sevens = usize::from(need.sevens);
        let others = dirty_books + wild_books + sevens;
        let total = usize::from(need.total).saturating_sub(others);
        let size = facts.draft.book_size;
        let one = facts.rules.value(self.kind);
        let cards = format!("{}-point cards", digits(i64::from(one)));
        let bonus = facts.draft.book_bonus;
        let worth = |kind: Kind| facts.rules.value(kind) * i32::from(size);
        let clean = usize::from(need.clean.max(1)).max(total);
        self.add_books(clean, "clean", &cards, bonus.clean + worth(self.kind));
        if let Some(special) = facts.draft.special.first()
            && let Some(kind) = facts.rules.pack().kind_named(&special.rank)
        {
            let each = special.book_bonus + worth(kind);
            self.add_books(sevens, "clean", &facts.cards.many(kind), each);
        }
        if let Some((wild, wilds)) = dirty(facts) {
            let points = one * i32::from(size - wilds) + facts.rules.value(wild) * i32::from(wilds);
            let with = facts.cards.some(usize::from(wilds), wild);
            let every = if dirty_books == 1 { "" } else { " in each" };
            let of = format!("{cards} with {with}{every}");
            self.add_books(dirty_books, "dirty", &of, bonus.dirty + points);
        }
        if let Some(wild) = facts.cards.kinds(Role::Wild).first() {
            let each = bonus.wild + worth(*wild);
            self.add_books(wild_books, "wild", &facts.cards.many(*wild), each);
        }
    }

    /// Red threes, going out, and what a partner still holds.
    fn others(&mut self) {
        let facts = self.facts;
        if facts.red_mode() == Some(RedThreeMode::Bonus)
            && let (None, Some(laid)) = (facts.draft.red_three.needs, facts.draft.red_three.laid)
        {
            self.add(format!("two {} laid", facts.reds()), 2 * laid);
        }
        if facts.draft.out_bonus != 0 {
            self.add("going out".to_owned(), facts.draft.out_bonus);
        }
        if facts.sides != Sides::Alone {
            let (name, points) = held(facts, self.kind);
            self.add(name, points);
        }
    }
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
