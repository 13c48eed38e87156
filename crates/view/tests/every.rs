//! Every lay, discard and way out of a small position, tried one by one.
//!
//! **Invariant:** knows how cards can be dealt out to places, and nothing of which lays are legal.

use handfoot_cards::{Card, Cards, Kind, Role};
use handfoot_rules::{BlackThreeMeld, RedThreeMode};
use handfoot_view::{
    Action, Lay, MeldId, MeldRank, Phase, Target, ViewRef, WayOut, judge, rank_of,
};

/// Cards up to which even what can never join a meld is tried with it.
const UNPRUNED_MAX: usize = 4;

/// What can be done in a position, found by trying.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Accepted lays, or takes before the draw step.
    pub(crate) lays: Vec<Lay>,
    /// Accepted discards.
    pub(crate) discards: Vec<Card>,
    /// Actions after which the seat is out, or can be with one discard, or asks to be.
    pub(crate) ways_out: Vec<Action>,
    /// Actions judged.
    pub(crate) n_judged: usize,
}

impl Found {
    pub(crate) fn of(view: ViewRef<'_>) -> Found {
        let mut found = Found::default();
        match view.table.phase {
            Phase::Draw { .. } => found.before_the_draw_step(view),
            Phase::Play { .. } => found.after_the_draw_step(view),
            Phase::AwaitAnswer { .. }
            | Phase::AwaitUndo { .. }
            | Phase::RoundOver { .. }
            | Phase::GameOver { .. } => {}
        }
        found
    }

    fn before_the_draw_step(&mut self, view: ViewRef<'_>) {
        let Some(upcard) = view.table.upcard() else { return };
        let mut cards = view.own.clone();
        cards.insert(upcard);
        let count = view.table.take_count(view.rules);
        let received: Vec<Card> =
            view.table.discards.iter().rev().take(count).skip(1).copied().collect();
        let places = Place::of(view, None);
        for lay in lays(view, &cards, Some(upcard), &places[..], Use::Some) {
            let left = cards.len() + received.len() - lay.cards().len();
            let action = Action::TakeDiscards(lay.clone());
            if self.accepts(view, &action) {
                self.lays.push(lay.clone());
                if view.in_foot() && left <= 1 {
                    self.ways_out.push(action);
                }
            }
            let way = WayOut { take: Some(lay), ..WayOut::default() };
            self.ways_on(view, &cards, &received, &way);
        }
    }

    /// Ways out that begin with a take, if it is legal as far as the cards that it lays go.
    fn ways_on(&mut self, view: ViewRef<'_>, cards: &Cards, received: &[Card], way: &WayOut) {
        self.n_judged += 1;
        let begun = judge(view, &Action::AskToGoOut(Box::new(way.clone())));
        let goes_on = match begun {
            Ok(()) => true,
            Err(refusal) => refusal.reason() == "NOT_A_WAY_OUT",
        };
        let Some(take) = way.take.as_ref().filter(|_| goes_on) else { return };
        let mut rest = cards.clone();
        for card in take.cards() {
            assert!(rest.remove(*card));
        }
        rest.extend(received.iter().copied());
        let places = Place::of(view, Some(take));
        self.ask_with_all(view, &rest, &places, way);
    }

    fn after_the_draw_step(&mut self, view: ViewRef<'_>) {
        let places = Place::of(view, None);
        for lay in lays(view, view.own, None, &places, Use::Some) {
            let left = view.own.len() - lay.cards().len();
            let action = Action::Lay(lay.clone());
            if self.accepts(view, &action) {
                self.lays.push(lay);
                if view.in_foot() && left <= 1 {
                    self.ways_out.push(action);
                }
            }
        }
        for (card, _) in view.own.faces() {
            let action = Action::Discard(card);
            if self.accepts(view, &action) {
                self.discards.push(card);
                if view.in_foot() && view.own.len() == 1 {
                    self.ways_out.push(action);
                }
            }
        }
        self.ask_with_all(view, view.own, &places, &WayOut::default());
    }

    /// Questions that name all of these cards, one of them as the discard or none.
    fn ask_with_all(&mut self, view: ViewRef<'_>, all: &Cards, places: &[Place], way: &WayOut) {
        let kinds = Kind::all().filter_map(|kind| all.lowest(kind));
        for discard in std::iter::once(None).chain(kinds.map(Some)) {
            let mut rest = all.clone();
            assert!(discard.is_none_or(|card| rest.remove(card)));
            let laid = match rest.is_empty() {
                true => vec![None],
                false => lays(view, &rest, None, places, Use::All).into_iter().map(Some).collect(),
            };
            for lay in laid {
                let action = Action::AskToGoOut(Box::new(WayOut { lay, discard, ..way.clone() }));
                if self.accepts(view, &action) {
                    self.ways_out.push(action);
                }
            }
        }
    }

    fn accepts(&mut self, view: ViewRef<'_>, action: &Action) -> bool {
        self.n_judged += 1;
        judge(view, action).is_ok()
    }
}

/// Somewhere that cards can go.
#[derive(Clone, Copy)]
struct Place {
    target: Target,
    /// What it collects; nothing yet if it is a new meld.
    rank: Option<MeldRank>,
}

impl Place {
    /// The team's melds, those that a take would start, and new ones.
    fn of(view: ViewRef<'_>, take: Option<&Lay>) -> Vec<Place> {
        let melds = &view.table.teams[view.team().index()].melds;
        let mut ranks: Vec<MeldRank> = melds.iter().map(handfoot_view::Meld::rank).collect();
        for placement in take.iter().flat_map(|lay| lay.placements()) {
            if placement.target == Target::New {
                ranks.push(rank_of(placement.cards, view.rules));
            }
        }
        let old = ranks.into_iter().enumerate().map(|(index, rank)| {
            let target = Target::Meld(MeldId::from_index(index).unwrap());
            Place { target, rank: Some(rank) }
        });
        // Eight cards make two melds of three at most, thirteen make four.
        let n_new = if take.is_some() { 3 } else { 2 };
        let new = std::iter::repeat_n(Place { target: Target::New, rank: None }, n_new);
        old.chain(new).collect()
    }

    /// Whether a card of this kind may ever lie here, threes apart.
    fn may_hold(self, view: ViewRef<'_>, kind: Kind) -> bool {
        match (self.rank, view.rules.role(kind)) {
            (_, Role::RedThree) => view.rules.draft().red_three.mode == RedThreeMode::Blocker,
            (_, Role::BlackThree)
                if view.rules.draft().black_three.meld == BlackThreeMeld::Never =>
            {
                false
            }
            (Some(MeldRank::Natural(rank)), Role::Natural | Role::BlackThree) => rank == kind,
            (Some(MeldRank::Wild), Role::Natural | Role::BlackThree) => false,
            (None, Role::Natural | Role::BlackThree) | (_, Role::Wild) => true,
        }
    }
}

/// How many of the cards a lay must use.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Some,
    All,
}

/// Every lay of these cards, up to suits and the order of new melds. The first card, if any, is
/// used before others of its kind.
fn lays(
    view: ViewRef<'_>,
    cards: &Cards,
    first: Option<Card>,
    places: &[Place],
    used: Use,
) -> Vec<Lay> {
    let pruned = cards.len() > UNPRUNED_MAX;
    let mut kinds = Vec::new();
    for kind in Kind::all().filter(|kind| cards.of_kind(*kind) > 0) {
        let mut same: Vec<Card> = cards.iter().filter(|card| card.kind() == kind).collect();
        same.sort_by_key(|card| Some(*card) != first);
        let may = |place: &Place| !pruned || place.may_hold(view, kind);
        let open = (0..places.len()).filter(|index| may(&places[*index])).collect();
        kinds.push((same, open));
    }
    let mut spread = Spread { kinds, places, used, held: vec![Vec::new(); places.len()] };
    let mut found = Vec::new();
    spread.go(0, 0, 0, &mut found);
    found
}

/// Deals cards out to places, kind by kind and place by place.
struct Spread<'a> {
    /// The cards of each kind, and the places that it may go to.
    kinds: Vec<(Vec<Card>, Vec<usize>)>,
    places: &'a [Place],
    used: Use,
    held: Vec<Vec<Card>>,
}

impl Spread<'_> {
    fn go(&mut self, at: usize, at_place: usize, dealt: usize, found: &mut Vec<Lay>) {
        let Some((cards, open)) = self.kinds.get(at) else {
            found.extend(self.lay());
            return;
        };
        let left = cards.len() - dealt;
        let Some(place) = open.get(at_place).copied() else {
            if self.used == Use::Some || left == 0 {
                self.go(at + 1, 0, 0, found);
            }
            return;
        };
        for count in 0..=left {
            let (cards, _) = &self.kinds[at];
            let more = cards[dealt..dealt + count].to_vec();
            let before = self.held[place].len();
            self.held[place].extend(more);
            self.go(at, at_place + 1, dealt + count, found);
            self.held[place].truncate(before);
        }
    }

    /// What is dealt out, unless it names nothing or only differs from another by order.
    fn lay(&self) -> Option<Lay> {
        let new = self.places.iter().position(|place| place.target == Target::New)?;
        let kinds = |cards: &Vec<Card>| cards.iter().map(|card| card.kind()).collect::<Vec<_>>();
        if !self.held[new..].is_sorted_by(|a, b| kinds(a) >= kinds(b)) {
            return None;
        }
        let mut lay = Lay::new();
        for (place, cards) in self.places.iter().zip(&self.held) {
            lay.push(place.target, cards).unwrap();
        }
        (!lay.is_empty()).then_some(lay)
    }
}
