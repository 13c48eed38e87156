//! First lay-downs and takes of the discard pile, found by a programme over ranks and wild cards.
//!
//! The programme knows, for every rank still to decide and every number of wild cards spent, the
//! most points that can be reached; so a search never enters a branch without an end, and an
//! opening or a take is found exactly when one exists.

use arrayvec::ArrayVec;
use handfoot_cards::{Card, Cards, KINDS_MAX};
use handfoot_rules::{OpeningBook, OpeningStep, TakeMatch};

use crate::judge::{
    KEPT_AFTER_LAY, Keeping, PAIR, Trial, can_take, judge_lay, judge_take, received,
};
use crate::limits::{LAY_CARDS_MAX, LAY_PLACEMENTS_MAX, OPENING_STEPS_MAX, OPENING_WILDS_MAX};
use crate::plan::{
    Portion, RankOption, Supply, assemble, rank_for, rank_options, ranks, wilds_cheapest_first,
};
use crate::{Lay, MeldRank, ViewRef};

/// A pair of its kind that goes with the upcard, and it.
pub(crate) const WITH_UPCARD: u8 = PAIR + 1;

/// What a lay is looked for to reach.
#[derive(Clone, Copy)]
enum Goal {
    /// To lay the upcard as it must be, and no more.
    Upcard,
    /// Card points.
    Points(i32),
    /// A book of this rank. Rule: HF-6.6
    Book(OpeningBook, MeldRank),
}

impl Goal {
    /// The goals that reach an opening step: any will do.
    fn of(view: ViewRef<'_>) -> Vec<Goal> {
        match view.opening() {
            OpeningStep::Points(points) => vec![Goal::Points(points)],
            OpeningStep::Book(book) => {
                ranks(view.rules).map(|rank| Goal::Book(book, rank)).collect()
            }
        }
    }

    const fn minimum(self) -> i32 {
        match self {
            Goal::Points(points) => points,
            Goal::Upcard | Goal::Book(..) => i32::MIN,
        }
    }

    /// Whether ranks other than the upcard's have a part in it.
    fn is_about(self, rank: MeldRank) -> bool {
        match self {
            Goal::Upcard => false,
            Goal::Points(_) => true,
            Goal::Book(_, of) => of == rank,
        }
    }

    /// Whether a way to lay a rank will do, if the goal asks for one.
    fn is_met_by(self, rank: MeldRank, option: &RankOption) -> bool {
        let made = option.books.made();
        match self {
            Goal::Book(OpeningBook::BookFromHand, of) if of == rank => made.total() > 0,
            Goal::Book(OpeningBook::CleanBook, of) if of == rank => made.clean > 0,
            Goal::Upcard | Goal::Points(_) | Goal::Book(..) => true,
        }
    }
}

/// Whether a way to lay the upcard's rank has what must go with it. Rule: HF-5.1, HF-5.2, HF-5.7
pub(crate) fn matches_upcard(view: ViewRef<'_>, rank: MeldRank, option: &RankOption) -> bool {
    let with_wild = option.wilds > 0;
    match rank {
        MeldRank::Wild => option.wilds >= WITH_UPCARD,
        MeldRank::Natural(_) => {
            option.naturals >= WITH_UPCARD
                || match fewer_matched(view) {
                    TakeMatch::NaturalPair => false,
                    TakeMatch::PairOrAddToMeld => option.joins(),
                    TakeMatch::NaturalPlusWild => option.naturals >= PAIR && with_wild,
                    TakeMatch::OneNatural => option.naturals >= PAIR,
                }
        }
    }
}

/// What matches an upcard now: a frozen discard pile takes a natural pair. Rule: HF-5.8
fn fewer_matched(view: ViewRef<'_>) -> TakeMatch {
    let matching = view.rules.draft().take.matching;
    match matching {
        TakeMatch::PairOrAddToMeld | TakeMatch::NaturalPlusWild | TakeMatch::OneNatural
            if view.table.is_frozen(view.rules) =>
        {
            TakeMatch::NaturalPair
        }
        TakeMatch::NaturalPair
        | TakeMatch::PairOrAddToMeld
        | TakeMatch::NaturalPlusWild
        | TakeMatch::OneNatural => matching,
    }
}

/// The fewest own cards of its kind that take an upcard.
pub(crate) fn least_with_upcard(view: ViewRef<'_>, rank: MeldRank) -> u8 {
    match (rank, fewer_matched(view)) {
        (MeldRank::Wild, _) | (MeldRank::Natural(_), TakeMatch::NaturalPair) => PAIR,
        (MeldRank::Natural(_), TakeMatch::PairOrAddToMeld) => 0,
        (MeldRank::Natural(_), TakeMatch::NaturalPlusWild | TakeMatch::OneNatural) => 1,
    }
}

/// Everything needed to find lays that reach a number of points.
pub(crate) struct Search<'a> {
    view: ViewRef<'a>,
    /// The own cards, and the upcard if it is to be taken.
    cards: Cards,
    upcard: Option<Card>,
    minimum: i32,
    /// Cards that must be left in the foot.
    kept: usize,
    /// Ways to lay each rank; the upcard's rank stands first and cannot be left out.
    ranks: Vec<RankChoice>,
    /// Points of the so many most valuable wild cards.
    wild_points: [i32; OPENING_WILDS_MAX + 1],
    /// The most points from this rank on, by wild cards spent before.
    best: [[i32; OPENING_WILDS_MAX + 1]; KINDS_MAX + 2],
    wilds: usize,
}

/// One rank's ways.
struct RankChoice {
    options: Vec<RankOption>,
    value: i32,
    leave_out: LeaveOut,
}

/// Whether nothing of a rank need be laid.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LeaveOut {
    Allowed,
    Barred,
}

/// A search on its way down: what is chosen so far, and what was found.
struct Descent<'a> {
    portions: ArrayVec<Portion, LAY_PLACEMENTS_MAX>,
    cards: usize,
    steps: u32,
    limit: usize,
    found: &'a mut Vec<Lay>,
}

impl Descent<'_> {
    fn is_done(&self) -> bool {
        self.found.len() >= self.limit || self.steps > OPENING_STEPS_MAX
    }

    /// Chooses an option, unless the lay would become too long.
    fn push(&mut self, option: &RankOption) -> bool {
        let cards = self.cards + usize::from(option.cards());
        let fits =
            cards <= LAY_CARDS_MAX && self.portions.try_extend_from_slice(&option.portions).is_ok();
        if fits {
            self.cards = cards;
        }
        fits
    }

    fn pop(&mut self, option: &RankOption, kept: usize) {
        self.cards -= usize::from(option.cards());
        self.portions.truncate(kept);
    }
}

/// No number of points: a branch without an end.
const NEVER: i32 = i32::MIN / 2;

impl<'a> Search<'a> {
    /// Openings from the own cards, if the team has not opened; any search will do.
    pub(crate) fn openings(view: ViewRef<'a>) -> Vec<Search<'a>> {
        if view.has_opened() {
            return Vec::new();
        }
        let found = Goal::of(view).into_iter().filter_map(|goal| Search::prepare(view, None, goal));
        found.filter(Search::has_an_end).collect()
    }

    /// Takes of the discard pile as the beginning of a way out, which need not keep cards.
    pub(crate) fn takes_keeping_nothing(view: ViewRef<'a>) -> impl Iterator<Item = Search<'a>> {
        Search::takes(view).into_iter().map(|search| Search { kept: 0, ..search })
    }

    /// Takes of the discard pile, opening with it if the team has not; any search will do.
    pub(crate) fn takes(view: ViewRef<'a>) -> Vec<Search<'a>> {
        let Some(upcard) = view.table.upcard().filter(|_| can_take(view).is_ok()) else {
            return Vec::new();
        };
        let rank = rank_for(view.rules, upcard);
        if rank.is_none_or(|rank| view.own.of_kind(upcard.kind()) < least_with_upcard(view, rank)) {
            return Vec::new();
        }
        let goals = match view.has_opened() {
            true => vec![Goal::Upcard],
            false => Goal::of(view),
        };
        let found = goals.into_iter().filter_map(|goal| Search::prepare(view, Some(upcard), goal));
        found.filter(Search::has_an_end).collect()
    }

    fn has_an_end(&self) -> bool {
        self.best[0][0] >= self.minimum.max(NEVER + 1)
    }

    /// A least lay of the upcard and its pair, whatever it is worth and whatever it leaves.
    pub(crate) fn least_take(view: ViewRef<'a>) -> Option<Lay> {
        let search = Search::prepare(view, view.table.upcard(), Goal::Upcard)?;
        let mut lays = Vec::new();
        Search { kept: 0, ..search }.list(1, &mut lays);
        lays.pop()
    }

    /// Whether there is such a lay that leaves so many cards in the foot.
    pub(crate) fn finds_keeping(self, kept: usize) -> bool {
        let mut lays = Vec::new();
        Search { kept, ..self }.list(1, &mut lays);
        !lays.is_empty()
    }

    fn prepare(view: ViewRef<'a>, upcard: Option<Card>, goal: Goal) -> Option<Search<'a>> {
        let rules = view.rules;
        let mut cards = view.own.clone();
        cards.extend(upcard);
        let supply = Supply::of(rules, &cards);
        let shapes = Trial::of(view).shapes;
        let forced = upcard.and_then(|card| rank_for(rules, card));
        let mut search = Search {
            view,
            upcard,
            minimum: goal.minimum(),
            kept: KEPT_AFTER_LAY,
            ranks: Vec::new(),
            wild_points: [NEVER; OPENING_WILDS_MAX + 1],
            best: [[NEVER; OPENING_WILDS_MAX + 1]; KINDS_MAX + 2],
            wilds: usize::from(supply.wilds).min(OPENING_WILDS_MAX),
            cards,
        };
        let others = ranks(rules).filter(|rank| Some(*rank) != forced && goal.is_about(*rank));
        for rank in forced.into_iter().chain(others) {
            let mut options: Vec<RankOption> =
                rank_options(rules, &supply.rank(rules, &shapes, rank));
            let value = match rank {
                MeldRank::Natural(kind) => rules.opening_value(kind),
                MeldRank::Wild => 0,
            };
            let leave_out = match (Some(rank) == forced, goal) {
                (true, _) | (_, Goal::Book(..)) => LeaveOut::Barred,
                (false, Goal::Upcard | Goal::Points(_)) => LeaveOut::Allowed,
            };
            if leave_out == LeaveOut::Barred {
                options.retain(|option| {
                    (Some(rank) != forced || matches_upcard(view, rank, option))
                        && goal.is_met_by(rank, option)
                });
                // Least takes first.
                options.sort_by_key(RankOption::cards);
            }
            if options.is_empty() && leave_out == LeaveOut::Barred {
                return None;
            }
            if !options.is_empty() {
                search.ranks.push(RankChoice { options, value, leave_out });
            }
        }
        search.count_wild_points();
        search.solve();
        Some(search)
    }

    fn count_wild_points(&mut self) {
        let rules = self.view.rules;
        let wilds = wilds_cheapest_first(rules, &self.cards);
        let mut points = 0;
        self.wild_points[0] = 0;
        for (count, card) in (1..=self.wilds).zip(wilds.iter().rev()) {
            points += rules.opening_value(card.kind());
            self.wild_points[count] = points;
        }
        if let Some(upcard) = self.wild_upcard() {
            self.count_fixed_wild_points(upcard, &wilds);
        }
    }

    /// The three that a wild upcard needs are of its kind, be it the cheapest.
    fn count_fixed_wild_points(&mut self, upcard: Card, wilds: &[Card]) {
        let rules = self.view.rules;
        let fixed = usize::from(WITH_UPCARD);
        let mut rest: Vec<i32> = Vec::with_capacity(wilds.len());
        let mut same = 0;
        for card in wilds {
            same += usize::from(card.kind() == upcard.kind());
            if card.kind() != upcard.kind() || same > fixed {
                rest.push(rules.opening_value(card.kind()));
            }
        }
        rest.sort_unstable_by(|a, b| b.cmp(a));
        let mut points = rules.opening_value(upcard.kind()) * i32::from(WITH_UPCARD);
        for count in fixed..=self.wilds {
            self.wild_points[count] = points;
            points += rest.get(count - fixed).copied().unwrap_or_default();
        }
    }

    fn wild_upcard(&self) -> Option<Card> {
        self.upcard.filter(|card| rank_for(self.view.rules, *card) == Some(MeldRank::Wild))
    }

    /// Fills `best` from the last rank to the first.
    fn solve(&mut self) {
        let end = self.ranks.len();
        self.best[end] = self.wild_points;
        for at in (0..end).rev() {
            let choice = &self.ranks[at];
            for spent in 0..=self.wilds {
                let mut most = match choice.leave_out {
                    LeaveOut::Allowed => self.best[at + 1][spent],
                    LeaveOut::Barred => NEVER,
                };
                for option in &choice.options {
                    let after = spent + usize::from(option.wilds);
                    if after <= self.wilds && self.best[at + 1][after] > NEVER {
                        let points = i32::from(option.naturals) * choice.value;
                        most = most.max(points + self.best[at + 1][after]);
                    }
                }
                self.best[at][spent] = most;
            }
        }
    }

    /// Adds lays to a list until it holds `limit`, each once, in canonical order.
    pub(crate) fn list(&self, limit: usize, found: &mut Vec<Lay>) {
        let portions = ArrayVec::new();
        self.descend(0, 0, 0, &mut Descent { portions, cards: 0, steps: 0, limit, found });
    }

    fn descend(&self, at: usize, spent: usize, points: i32, descent: &mut Descent<'_>) {
        descent.steps += 1;
        if descent.is_done() || !self.can_reach(at, spent, points) {
            return;
        }
        let Some(choice) = self.ranks.get(at) else {
            if let Some(lay) = self.finish(spent, points, &descent.portions)
                && self.leaves_enough(&lay)
            {
                descent.found.push(lay);
            }
            return;
        };
        for option in &choice.options {
            let after = spent + usize::from(option.wilds);
            let kept = descent.portions.len();
            if after <= self.wilds && descent.push(option) {
                let gained = i32::from(option.naturals) * choice.value;
                self.descend(at + 1, after, points + gained, descent);
                descent.pop(option, kept);
            }
        }
        if choice.leave_out == LeaveOut::Allowed {
            self.descend(at + 1, spent, points, descent);
        }
    }

    fn can_reach(&self, at: usize, spent: usize, points: i32) -> bool {
        let best = self.best[at][spent];
        best > NEVER && points + best >= self.minimum
    }

    /// Exact cards: the cheapest wild cards that reach the minimum.
    fn finish(&self, spent: usize, points: i32, portions: &[Portion]) -> Option<Lay> {
        if portions.is_empty() {
            return None;
        }
        let rules = self.view.rules;
        let mut pool = wilds_cheapest_first(rules, &self.cards);
        let mut chosen: ArrayVec<Card, { OPENING_WILDS_MAX + 1 }> = ArrayVec::new();
        if let Some(upcard) = self.wild_upcard() {
            // The upcard itself, then the lowest of its kind.
            let at = pool.iter().position(|card| *card == upcard)?;
            chosen.push(pool.remove(at));
            while chosen.len() < usize::from(WITH_UPCARD) {
                let at = pool.iter().position(|card| card.kind() == upcard.kind())?;
                chosen.push(pool.remove(at));
            }
        }
        let fixed = chosen.len();
        let more = spent.checked_sub(fixed)?;
        chosen.try_extend_from_slice(pool.get(..more)?).ok()?;
        let mut laid =
            points + chosen.iter().map(|card| rules.opening_value(card.kind())).sum::<i32>();
        // Trade the cheapest for the dearest left until the minimum is reached.
        let mut dearest = pool[more..].iter().rev();
        for card in &mut chosen[fixed..] {
            if laid >= self.minimum {
                break;
            }
            let Some(dear) = dearest.next() else { break };
            laid += rules.opening_value(dear.kind()) - rules.opening_value(card.kind());
            *card = *dear;
        }
        assemble(self.view.own, self.upcard, portions, &chosen)
    }

    /// Whether a lay leaves what must be kept in the foot, going out apart. Rule: HF-8.1
    fn leaves_enough(&self, lay: &Lay) -> bool {
        match Keeping::of(self.view) {
            Keeping::Nothing => return true,
            _ if self.kept == 0 => {}
            Keeping::UnlessOut => {}
            // Completing a book, or leaving nothing, may need no card kept.
            Keeping::UnlessEmptied | Keeping::UnlessFirstBook => {
                return match self.upcard {
                    Some(_) => judge_take(self.view, lay).is_ok(),
                    None => judge_lay(self.view, lay).is_ok(),
                };
            }
        }
        let received = match self.upcard {
            Some(_) => received(self.view).count(),
            None => 0,
        };
        self.cards.len() + received >= lay.cards().len() + self.kept
    }
}
