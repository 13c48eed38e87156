//! A rule set that can be played: validated, normalised, and laid out for quick questions.
//!
//! **Invariant:** a [`Rules`] answers; it decides nothing about whether a draft makes sense.

use handfoot_cards::{Card, Cards, KINDS_MAX, Kind, Pack, Role};

use crate::{
    BlackThreeMeld, DiscardLock, ExactPickModel, Extend, ExtendBook, ExtendWild, FootAfterDiscard,
    FootTrigger, MeldKind, Need, OpeningBy, OpeningStep, OpeningWilds, PackChoice, PerRank,
    PerRound, RankSort, RedThreeMode, RulesDraft, SpecialLastDiscard, SpecialRank, StockThen,
    TakeCount, WildDiscard, WildMeld,
};

/// The most seats at a table.
pub const SEATS_MAX: usize = 12;

/// The most rounds that have numbers of their own; later ones repeat the last.
pub const ROUNDS_MAX: usize = 10;

/// Naturals for which the wild limit is kept in a table; a meld of more takes as many wilds.
const NATURALS_TABLE: usize = 64;

/// A validated rule set. Cheap questions, no setters: what it says cannot change.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    draft: RulesDraft,
    pack: Pack,
    deck: Cards,
    roles: [Role; KINDS_MAX],
    values: [i32; KINDS_MAX],
    melded_values: [i32; KINDS_MAX],
    opening_values: [i32; KINDS_MAX],
    clean_bonuses: [i32; KINDS_MAX],
    kinds: usize,
    naturals: Vec<Kind>,
    /// Kinds that make melds: the naturals, and black threes where they meld.
    melding: Vec<Kind>,
    laid_freely_bits: u32,
    special_bits: u32,
    has_plain_melds: bool,
    specials: Vec<(Kind, SpecialRank)>,
    wilds: Vec<Kind>,
    wilds_max: [u8; NATURALS_TABLE],
    rounds: Vec<RoundRules>,
}

/// The numbers of one round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundRules {
    /// Sizes of each seat's packets, the hand first, at least one.
    pub packets: Vec<u8>,
    /// Cards drawn at the start of a turn.
    pub draw: u8,
    /// Most cards that come with the discard pile, the upcard included.
    pub take_max: usize,
    /// Books needed to go out.
    pub need: Need,
    /// What an opening must reach where the round says it.
    pub opening: OpeningStep,
}

/// What the own cards are held to before the last packet is taken up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandRule {
    /// A lay or the discard may use the last card. Rule: HF-7.1, HF-7.2
    Free,
    /// A lay may use the last card, the discard may not. Rule: HF-7.6
    EmptyByLayOnly,
    /// As many must be kept as in the last packet, but for the lay that completes the seat's first
    /// book. Rule: HF-7.7
    KeepUntilFirstBook,
}

impl Rules {
    /// Lays out a draft that has passed every check. Only [`Rules::new`] calls this.
    pub(crate) fn from_checked(draft: RulesDraft, pack: Pack) -> Rules {
        let mut roles = [Role::Natural; KINDS_MAX];
        let mut values = [0; KINDS_MAX];
        for (kind, role) in pack.roles() {
            roles[kind.index()] = role;
            values[kind.index()] =
                draft.card_value.0.get(pack.kind_name(kind)).copied().unwrap_or_default();
        }
        let mut wilds_max = [0; NATURALS_TABLE];
        for (entry, naturals) in wilds_max.iter_mut().zip(0u8..) {
            *entry = wild_limit(&draft, naturals);
        }
        let rounds = (0..ROUNDS_MAX).map(|round| RoundRules::of(&draft, round)).collect();
        let of_role = |wanted: Role| {
            pack.roles().filter(|(_, role)| *role == wanted).map(|(kind, _)| kind).collect()
        };
        let (naturals, wilds): (Vec<Kind>, Vec<Kind>) =
            (of_role(Role::Natural), of_role(Role::Wild));
        let bits = |kinds: &[Kind]| kinds.iter().fold(0, |bits, kind| bits | 1 << kind.index());
        let black_threes = of_role(Role::BlackThree);
        let (melding, laid_freely) = match draft.black_three.meld {
            BlackThreeMeld::Never => (naturals.clone(), naturals.clone()),
            BlackThreeMeld::Set => {
                let all = [naturals.as_slice(), &black_threes].concat();
                (all.clone(), all)
            }
            BlackThreeMeld::SetWhenGoingOut => {
                ([naturals.as_slice(), &black_threes].concat(), naturals.clone())
            }
        };
        let specials: Vec<(Kind, SpecialRank)> = draft
            .special
            .iter()
            .filter_map(|special| Some((pack.kind_named(&special.rank)?, special.clone())))
            .collect();
        let special: Vec<Kind> = specials.iter().map(|(kind, _)| *kind).collect();
        Rules {
            kinds: pack.kinds().len(),
            laid_freely_bits: bits(&laid_freely),
            special_bits: bits(&special),
            has_plain_melds: has_plain_melds(&draft),
            specials,
            opening_values: opening_values(&draft, &roles, values),
            melded_values: melded_values(&draft, &roles, values),
            clean_bonuses: clean_bonuses(&draft, &pack, &roles),
            naturals,
            melding,
            wilds,
            deck: deck_of(&draft, &pack),
            draft,
            pack,
            roles,
            values,
            wilds_max,
            rounds,
        }
    }

    /// The parameters, normalised.
    #[must_use]
    pub fn draft(&self) -> &RulesDraft {
        &self.draft
    }

    /// The cards of one round. Rule: HF-1.2
    #[must_use]
    pub fn pack(&self) -> &Pack {
        &self.pack
    }

    /// What sort of card a kind is. A kind the pack does not have counts as natural.
    #[must_use]
    pub fn role(&self, kind: Kind) -> Role {
        self.roles[kind.index()]
    }

    /// A kind's card points while it is held.
    #[must_use]
    pub fn value(&self, kind: Kind) -> i32 {
        self.values[kind.index()]
    }

    /// A kind's card points in a meld, which for black threes may be others. Red threes are no
    /// cards of a meld. Rule: HF-3.6, HF-4.13, HF-10.1
    #[must_use]
    pub fn melded_value(&self, kind: Kind) -> i32 {
        self.melded_values[kind.index()]
    }

    /// What a kind counts towards an opening. Rule: HF-6.1, HF-6.5
    #[must_use]
    pub fn opening_value(&self, kind: Kind) -> i32 {
        self.opening_values[kind.index()]
    }

    /// Every kind of the pack, in canonical order.
    #[must_use]
    pub fn kinds(&self) -> impl DoubleEndedIterator<Item = Kind> + '_ {
        Kind::all().take(self.kinds)
    }

    /// The kinds that meld with their own, in canonical order.
    #[must_use]
    pub fn naturals(&self) -> impl DoubleEndedIterator<Item = Kind> + '_ {
        self.naturals.iter().copied()
    }

    /// The kinds that make melds, in canonical order: the naturals, then black threes where they
    /// meld. Rule: HF-4.4, HF-4.13
    #[must_use]
    pub fn melding(&self) -> impl DoubleEndedIterator<Item = Kind> + '_ {
        self.melding.iter().copied()
    }

    /// The kinds that make melds and need not go out with it, one bit each at the kind's number.
    #[must_use]
    pub const fn laid_freely_bits(&self) -> u32 {
        self.laid_freely_bits
    }

    /// Whether a kind has rules of its own. Rule: HF-4.14
    #[must_use]
    pub const fn sort(&self, kind: Kind) -> RankSort {
        match self.special_bits >> kind.index() & 1 {
            0 => RankSort::Plain,
            _ => RankSort::Special,
        }
    }

    /// Whether any rank has rules of its own. Rule: HF-4.14
    #[must_use]
    pub const fn has_special_ranks(&self) -> bool {
        self.special_bits != 0
    }

    /// The rules of a special rank. Rule: HF-4.14
    #[must_use]
    pub fn special(&self, kind: Kind) -> Option<&SpecialRank> {
        self.specials.iter().find(|(rank, _)| *rank == kind).map(|(_, special)| special)
    }

    /// Every special rank with its rules. Rule: HF-4.14
    pub fn specials(&self) -> impl Iterator<Item = (Kind, &SpecialRank)> {
        self.specials.iter().map(|(kind, special)| (*kind, special))
    }

    /// Until when a kind may not be discarded. Rule: HF-2.7
    #[must_use]
    pub fn discard_lock(&self, kind: Kind) -> DiscardLock {
        self.special(kind).map_or(DiscardLock::None, |special| special.discard_lock)
    }

    /// Whether a kind may be the last discard. Rule: HF-8.14
    #[must_use]
    pub fn last_discard_of(&self, kind: Kind) -> SpecialLastDiscard {
        self.special(kind).map_or(SpecialLastDiscard::Allowed, |special| special.last_discard)
    }

    /// Whether nothing is ever added to a book. Rule: HF-4.5
    #[must_use]
    pub fn has_closed_books(&self) -> bool {
        has_closed_books(&self.draft)
    }

    /// Whether nothing is added to a book, no three is laid on or as one, and a team has one
    /// unfinished meld of a rank and any number of books: most rule sets, for which there are
    /// short ways.
    #[must_use]
    pub const fn has_plain_melds(&self) -> bool {
        self.has_plain_melds
    }

    /// The wild kinds, in canonical order.
    #[must_use]
    pub fn wilds(&self) -> impl DoubleEndedIterator<Item = Kind> + '_ {
        self.wilds.iter().copied()
    }

    /// Seats at the table, 2 to 12.
    #[must_use]
    pub fn seats(&self) -> usize {
        usize::from(self.draft.players)
    }

    /// Teams at the table, at least two.
    #[must_use]
    pub fn teams(&self) -> usize {
        usize::from(self.draft.players / self.draft.team_size)
    }

    /// The most wild cards that a meld with so many naturals may hold, its size apart; 0 if it may
    /// not be mixed. Rule: HF-4.2
    #[must_use]
    pub fn wilds_max(&self, naturals: u8) -> u8 {
        self.wilds_max[usize::from(naturals).min(NATURALS_TABLE - 1)]
    }

    /// Whether wild cards alone may be melded. Rule: HF-4.3
    #[must_use]
    pub fn wild_meld_allowed(&self) -> bool {
        self.draft.wild_meld == WildMeld::Allowed
    }

    /// The numbers of a round, counted from 0; later rounds than any listed repeat the last.
    #[must_use]
    pub fn round(&self, round_index: usize) -> &RoundRules {
        &self.rounds[round_index.min(ROUNDS_MAX - 1)]
    }

    /// What an opening must reach in a round, counted from 0, by a team with so many points when
    /// the round began; below the lowest threshold the lowest step holds. Rule: HF-6.1, HF-6.3
    #[must_use]
    pub fn opening_step(&self, round_index: usize, total: i32) -> OpeningStep {
        match &self.draft.opening.by {
            OpeningBy::Round => self.round(round_index).opening,
            OpeningBy::TeamScore(thresholds) => {
                let reached = thresholds.iter().take_while(|least| **least <= total).count();
                let step = self.draft.opening.steps.get(reached.saturating_sub(1));
                step.copied().unwrap_or(OpeningStep::Points(0))
            }
        }
    }

    /// Card points that an opening must reach; 0 if it must hold a book instead. See
    /// [`Rules::opening_step`].
    #[must_use]
    pub fn opening_minimum(&self, round_index: usize, total: i32) -> i32 {
        match self.opening_step(round_index, total) {
            OpeningStep::Points(points) => points,
            OpeningStep::Book(_) => 0,
        }
    }

    /// The cards of one deck, which the stock may be given in the middle of a round; a pack of named
    /// kinds is one deck. Rule: HF-9.6
    #[must_use]
    pub fn deck(&self) -> &Cards {
        &self.deck
    }

    /// How many of a card there can be in a round, decks that may be added included.
    #[must_use]
    pub fn cards_max(&self, card: Card) -> u8 {
        let added = self.draft.stock_out.max_added.unwrap_or_default();
        let more = self.deck.count(card).saturating_mul(added);
        self.pack.cards().count(card).saturating_add(more)
    }

    /// Fewest cards that a seat is dealt in any round, all packets together.
    #[must_use]
    pub fn lifted_least(&self) -> usize {
        self.rounds.iter().map(RoundRules::lifted).min().map_or(0, usize::from)
    }

    /// How many cards there can be in a round, decks that may be added included.
    #[must_use]
    pub fn round_cards_max(&self) -> usize {
        let added = usize::from(self.draft.stock_out.max_added.unwrap_or_default());
        self.pack.cards().len() + added * self.deck.len()
    }

    /// Whether the stock may be given cards in the middle of a round. Rule: HF-9.4 to HF-9.6
    #[must_use]
    pub fn may_refill(&self) -> bool {
        let by_removed = match self.draft.wild_discard {
            WildDiscard::RemoveDiscards => true,
            WildDiscard::Plain | WildDiscard::Freeze => false,
        };
        by_removed
            || match self.draft.stock_out.then {
                StockThen::ReshuffleDiscards | StockThen::AddDeck => true,
                StockThen::EndRound | StockThen::PlayOn => false,
            }
    }

    /// Whether a seat that cannot draw passes. Rule: HF-9.7
    #[must_use]
    pub fn may_pass(&self) -> bool {
        match self.draft.stock_out.then {
            StockThen::PlayOn => true,
            StockThen::EndRound | StockThen::ReshuffleDiscards | StockThen::AddDeck => false,
        }
    }

    /// Whether lifting exactly is paid for. Rule: HF-1.7
    #[must_use]
    pub fn has_exact_pick(&self) -> bool {
        match self.draft.exact_pick.model {
            ExactPickModel::Off => false,
            ExactPickModel::Chance(_) | ExactPickModel::Entered => true,
        }
    }

    /// Whether the numbers lifted are entered from outside. Rule: HF-1.7
    #[must_use]
    pub fn has_entered_lifts(&self) -> bool {
        match self.draft.exact_pick.model {
            ExactPickModel::Off | ExactPickModel::Chance(_) => false,
            ExactPickModel::Entered => true,
        }
    }

    /// What the own cards are held to before the last packet is taken up.
    #[must_use]
    pub fn hand_rule(&self) -> HandRule {
        match (self.draft.foot.trigger, self.draft.foot.after_discard) {
            (FootTrigger::FirstBook, _) => HandRule::KeepUntilFirstBook,
            (FootTrigger::HandEmpty, FootAfterDiscard::NotAllowed) => HandRule::EmptyByLayOnly,
            (
                FootTrigger::HandEmpty,
                FootAfterDiscard::StartOfNextTurn | FootAfterDiscard::EndOfTurn,
            ) => HandRule::Free,
        }
    }

    /// Points for a book of a kind of cards; none: of wild cards. A clean one of a special rank or
    /// of black threes may have a bonus of its own. Rule: HF-10.2, HF-10.9
    #[must_use]
    pub fn book_bonus(&self, rank: Option<Kind>, kind: MeldKind) -> i32 {
        match (kind, rank) {
            (MeldKind::Clean, Some(rank)) => self.clean_bonuses[rank.index()],
            (MeldKind::Clean, None) => self.draft.book_bonus.clean,
            (MeldKind::Dirty, _) => self.draft.book_bonus.dirty,
            (MeldKind::Wild, _) => self.draft.book_bonus.wild,
        }
    }
}

impl RoundRules {
    /// Cards that a seat is dealt, all packets together. Rule: HF-1.7
    #[must_use]
    pub fn lifted(&self) -> u16 {
        self.packets.iter().map(|size| u16::from(*size)).sum()
    }

    fn of(draft: &RulesDraft, round_index: usize) -> RoundRules {
        // Numbers stop changing with the last round that the game has.
        let last = draft.length.rounds.map_or(ROUNDS_MAX, usize::from);
        let round_index = round_index.min(last.saturating_sub(1));
        let take_max = match *draft.take.count.at(round_index) {
            TakeCount::Top(count) => usize::from(count),
            TakeCount::All => usize::MAX,
        };
        let step = draft.opening.steps.get(round_index).or(draft.opening.steps.last());
        RoundRules {
            packets: draft.packets.at(round_index).clone(),
            draw: *draft.draw.at(round_index),
            take_max,
            need: *draft.need.at(round_index),
            opening: step.copied().unwrap_or(OpeningStep::Points(0)),
        }
    }
}

impl<T> PerRound<T> {
    /// The value of a round, counted from 0; the last of a list repeats.
    ///
    /// # Panics
    ///
    /// If the list is empty, which validation refuses.
    #[must_use]
    pub fn at(&self, round_index: usize) -> &T {
        self.get(round_index).expect("a list is not empty")
    }

    /// The value of a round, counted from 0; nothing if the list is empty.
    #[must_use]
    pub fn get(&self, round_index: usize) -> Option<&T> {
        match self {
            PerRound::Same(value) => Some(value),
            PerRound::Each(values) => values.get(round_index).or(values.last()),
        }
    }

    /// Every value that is written.
    pub fn values(&self) -> &[T] {
        match self {
            PerRound::Same(value) => std::slice::from_ref(value),
            PerRound::Each(values) => values,
        }
    }
}

fn has_closed_books(draft: &RulesDraft) -> bool {
    draft.extend
        == Extend { clean: ExtendBook::None, dirty: ExtendBook::None, wild: ExtendWild::None }
}

fn has_plain_melds(draft: &RulesDraft) -> bool {
    has_closed_books(draft)
        && draft.per_rank == PerRank { open: 1, total: None }
        && draft.red_three.mode != RedThreeMode::Blocker
        && draft.black_three.meld == BlackThreeMeld::Never
}

/// What each kind is worth in a meld. Rule: HF-4.13
fn melded_values(
    draft: &RulesDraft,
    roles: &[Role; KINDS_MAX],
    values: [i32; KINDS_MAX],
) -> [i32; KINDS_MAX] {
    let mut melded = values;
    for (value, role) in melded.iter_mut().zip(roles) {
        match role {
            Role::Natural | Role::Wild => {}
            Role::BlackThree => *value = draft.black_three.melded_value.unwrap_or(*value),
            Role::RedThree => *value = 0,
        }
    }
    melded
}

/// What each kind counts towards an opening. Rule: HF-6.1, HF-6.5
fn opening_values(
    draft: &RulesDraft,
    roles: &[Role; KINDS_MAX],
    values: [i32; KINDS_MAX],
) -> [i32; KINDS_MAX] {
    let mut counted = melded_values(draft, roles, values);
    for (value, role) in counted.iter_mut().zip(roles) {
        match (role, draft.opening.wilds) {
            (Role::Wild, OpeningWilds::Ignored) => *value = 0,
            (Role::Wild, OpeningWilds::Count)
            | (Role::Natural | Role::RedThree | Role::BlackThree, _) => {}
        }
    }
    counted
}

/// What a clean book of each kind pays. Rule: HF-10.2, HF-10.9
fn clean_bonuses(draft: &RulesDraft, pack: &Pack, roles: &[Role; KINDS_MAX]) -> [i32; KINDS_MAX] {
    let mut bonuses = [draft.book_bonus.clean; KINDS_MAX];
    for (bonus, role) in bonuses.iter_mut().zip(roles) {
        if *role == Role::BlackThree {
            *bonus = draft.black_three.book_bonus.unwrap_or(*bonus);
        }
    }
    for special in &draft.special {
        if let Some(kind) = pack.kind_named(&special.rank) {
            bonuses[kind.index()] = special.book_bonus;
        }
    }
    bonuses
}

/// One more deck of the pack.
fn deck_of(draft: &RulesDraft, pack: &Pack) -> Cards {
    match draft.pack {
        PackChoice::Kinds(_) => pack.cards().clone(),
        PackChoice::Standard => Pack::standard(1, draft.jokers_per_deck)
            .map_or(Cards::EMPTY, |deck| deck.cards().clone()),
    }
}

/// The most wild cards beside so many naturals: naturals ≥ a × wilds + b, wilds ≤ max.
pub(crate) fn wild_limit(draft: &RulesDraft, naturals: u8) -> u8 {
    let limit = draft.wild_limit;
    if naturals < limit.min_natural.max(1) {
        return 0;
    }
    let fits = |wilds: &u8| {
        let need = i32::from(limit.a.numerator) * i32::from(*wilds)
            + i32::from(limit.b) * i32::from(limit.a.denominator);
        i32::from(naturals) * i32::from(limit.a.denominator) >= need
    };
    let most = (0..=250u8).take_while(fits).last().unwrap_or(0);
    limit.max.map_or(most, |max| most.min(max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Preset, Ratio, WildLimit};

    fn rules(a: i16, b: i8, max: Option<u8>, min_natural: u8) -> Rules {
        let mut draft = Preset::all()[0].draft(None, None).unwrap();
        let a = Ratio { numerator: a, denominator: 1 };
        draft.wild_limit = WildLimit { a, b, max, min_natural };
        Rules::from_checked(draft, Pack::standard(5, 2).unwrap())
    }

    /// The most wild cards in a meld of 3 to 9 cards, as the table of C.0 gives them.
    fn table(rules: &Rules) -> [u8; 7] {
        [3, 4, 5, 6, 7, 8, 9].map(|size: u8| {
            (0..size).rev().find(|wilds| rules.wilds_max(size - wilds) >= *wilds).unwrap_or(0)
        })
    }

    #[test]
    fn wild_limits_are_those_of_the_specification() {
        assert_eq!(table(&rules(2, 0, None, 2)), [1, 1, 1, 2, 2, 2, 3], "whitnack");
        assert_eq!(table(&rules(2, 0, Some(2), 2)), [1, 1, 1, 2, 2, 2, 2], "favourite");
        assert_eq!(table(&rules(1, 1, Some(3), 2)), [1, 1, 2, 2, 3, 3, 3], "saskatchewan");
        assert_eq!(table(&rules(1, 1, None, 2)), [1, 1, 2, 2, 3, 3, 4], "simpson");
        assert_eq!(table(&rules(1, 1, Some(3), 4)), [0, 0, 1, 2, 3, 3, 3], "bicycle");
    }

    #[test]
    fn no_natural_takes_no_wild() {
        assert_eq!(rules(0, 0, None, 0).wilds_max(0), 0);
        assert_eq!(rules(2, 0, None, 2).wilds_max(1), 0);
        assert_eq!(rules(0, 0, None, 2).wilds_max(2), 250);
    }

    #[test]
    fn a_list_by_round_repeats_its_last_value() {
        let list = PerRound::Each(vec![1, 2]);
        assert_eq!([list.at(0), list.at(1), list.at(9)], [&1, &2, &2]);
        assert_eq!(PerRound::<u8>::Each(vec![]).get(0), None);
        assert_eq!(PerRound::Same(3).at(5), &3);
    }
}
