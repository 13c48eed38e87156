//! Small positions at random: few cards of few kinds, so that everything possible can be tried.
//!
//! **Invariant:** a position follows from its number alone, and its cards are all in the pack.

use handfoot_cards::{Cards, Kind};
use handfoot_rules::{
    BlackThreeMeld, DiscardLock, ExtendBook, ExtendWild, LastDiscard, Need, OpeningBook,
    OpeningStep, OpeningViaDiscards, OpeningWilds, PartnerCondition, PerRound, Permission, Ratio,
    RedThreeMode, Rules, RulesDraft, SpecialLastDiscard, SpecialRank, TakeCount, TakeMatch,
    WildDiscard, WildMeld, WildTop,
};
use handfoot_view::{Asked, Drew, FootStage};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::tables::{Table, rules};

/// A generator that gives the same every time.
pub(crate) fn chance(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// Rule sets that differ in what matters to lays, takes and ways out.
pub(crate) fn rule_sets() -> Vec<Rules> {
    (0..48).map(|number| rules([4, 4, 2][number % 3], |draft| vary(draft, number))).collect()
}

/// Rule sets that use further choices as well: books that grow, several melds of a rank, other
/// matches, threes that are laid, other openings and other ways to end.
pub(crate) fn further_rule_sets() -> Vec<Rules> {
    let further = |number: usize| {
        rules([4, 4, 2][number % 3], |draft| {
            vary(draft, number);
            vary_further(draft, number);
        })
    };
    (0..240).map(further).collect()
}

fn vary_further(draft: &mut RulesDraft, number: usize) {
    let mut dice = Dice(chance(u64::try_from(number).unwrap() + 1000));
    let dice = &mut dice;
    if dice.below(2) == 0 {
        draft.extend.clean = dice.one_of(&[ExtendBook::None, ExtendBook::Natural, ExtendBook::Any]);
        draft.extend.dirty = dice.one_of(&[ExtendBook::None, ExtendBook::Natural, ExtendBook::Any]);
        draft.extend.wild = dice.one_of(&[ExtendWild::None, ExtendWild::Wild]);
    }
    if dice.below(3) == 0 {
        draft.per_rank.open = dice.one_of(&[1, 2, 3]);
        draft.per_rank.total = dice.one_of(&[None, Some(1), Some(2)]);
        if draft.per_rank.total.is_some() {
            draft.need = PerRound::Same(Need { clean: 1, dirty: 0, wild: 0, sevens: 0, total: 0 });
        }
    }
    if dice.below(2) == 0 {
        let a = dice.one_of(&[(1, 1), (3, 2), (0, 1), (2, 1)]);
        draft.wild_limit.a = Ratio { numerator: a.0, denominator: a.1 };
        draft.wild_limit.max = dice.one_of(&[None, Some(2), Some(3)]);
    }
    if dice.below(2) == 0 {
        draft.take.matching = dice.one_of(&[
            TakeMatch::PairOrAddToMeld,
            TakeMatch::NaturalPlusWild,
            TakeMatch::OneNatural,
        ]);
        draft.wild_discard = dice.one_of(&[WildDiscard::Plain, WildDiscard::Freeze]);
    }
    if dice.below(3) == 0 {
        draft.black_three.meld =
            dice.one_of(&[BlackThreeMeld::Set, BlackThreeMeld::SetWhenGoingOut]);
        draft.black_three.melded_value = dice.one_of(&[None, Some(-5)]);
    }
    if dice.below(3) == 0 {
        draft.red_three.mode = RedThreeMode::Blocker;
    }
    if dice.below(3) == 0 {
        let locks = [DiscardLock::None, DiscardLock::UntilOwnTeam, DiscardLock::UntilEachTeam];
        draft.special = vec![SpecialRank {
            rank: "4".to_owned(),
            book_bonus: 1500,
            discard_lock: dice.one_of(&locks),
            last_discard: dice.one_of(&[SpecialLastDiscard::Allowed, SpecialLastDiscard::Banned]),
        }];
    }
    draft.last_discard = dice.one_of(&[
        LastDiscard::Optional,
        LastDiscard::Optional,
        LastDiscard::Required,
        LastDiscard::Forbidden,
    ]);
    if dice.below(3) == 0 {
        draft.opening.steps = vec![dice.one_of(&[
            OpeningStep::Book(OpeningBook::BookFromHand),
            OpeningStep::Book(OpeningBook::CleanBook),
            OpeningStep::Points(20),
        ])];
        draft.opening.wilds = dice.one_of(&[OpeningWilds::Count, OpeningWilds::Ignored]);
        draft.opening.via_discards =
            dice.one_of(&[OpeningViaDiscards::Allowed, OpeningViaDiscards::Barred]);
    }
}

fn vary(draft: &mut RulesDraft, number: usize) {
    let mut dice = Dice(chance(u64::try_from(number).unwrap()));
    draft.book_size = dice.one_of(&[4, 4, 5, 7]);
    draft.opening.steps = vec![OpeningStep::Points(dice.one_of(&[0, 15, 30, 60, 90]))];
    draft.permission = dice.one_of(&[Permission::Ask, Permission::None]);
    draft.partner = dice.one_of(&[
        PartnerCondition::None,
        PartnerCondition::InFoot,
        PartnerCondition::PartOfTurn,
        PartnerCondition::FullTurn,
    ]);
    draft.take.count = PerRound::Same(TakeCount::Top(dice.one_of(&[1, 2, 3, 7])));
    draft.take.min_size = dice.one_of(&[1, 1, 2]);
    let [clean, dirty, wild, total] = dice.one_of(&[
        [1, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 1],
        [1, 1, 0, 0],
        [0, 0, 0, 0],
        [0, 0, 0, 2],
    ]);
    draft.need = PerRound::Same(Need { clean, dirty, wild, sevens: 0, total });
    if wild == 0 && dice.below(5) == 0 {
        draft.wild_meld = WildMeld::Barred;
        draft.take.wild_top = WildTop::Barred;
    }
}

/// A position of the given rules.
pub(crate) fn position(rules: &Rules, number: u64) -> Table {
    let mut dice = Dice(chance(number));
    let mut left = rules.pack().cards().clone();
    let naturals = [Kind::KING, Kind::FOUR, Kind::ACE];
    let ranks = &naturals[..dice.one_of(&[1, 2, 2, 3])];
    let mut hand: Vec<Kind> = ranks.iter().flat_map(|kind| [*kind; 3]).collect();
    hand.extend([Kind::TWO, Kind::TWO, Kind::JOKER]);
    if dice.below(4) == 0 {
        hand.push(Kind::BLACK_THREE);
    }
    if rules.draft().black_three.meld != BlackThreeMeld::Never && dice.below(2) == 0 {
        hand.extend([Kind::BLACK_THREE; 3]);
    }
    if rules.draft().red_three.mode == RedThreeMode::Blocker && dice.below(2) == 0 {
        hand.extend([Kind::RED_THREE; 2]);
    }
    let mut table = Table::new(rules.clone());
    for _ in 0..dice.one_of(&[0, 1, 1, 2, 3]) {
        table = with_meld(table, ranks, &mut left, &mut dice);
    }
    let size = dice.one_of(&[2, 3, 3, 4, 4, 5, 6, 7]);
    let own: Vec<Kind> = (0..size).map(|_| dice.one_of(&hand)).collect();
    let discards = dice.one_of(&[0, 1, 1, 2, 3, 5, 9]);
    let mut discards: Vec<Kind> = (0..discards).map(|_| dice.one_of(&hand)).collect();
    if dice.below(2) == 0 {
        // Nothing is taken without a pair.
        discards.push(dice.one_of(&own));
    }
    table = table.own(&dice.words(&own, &mut left, rules));
    table = table.discards(&dice.words(&discards, &mut left, rules));
    table.public.stock = dice.one_of(&[0, 1, 2, 3, 30]);
    with_feet(with_phase(table, &mut dice), &mut dice)
}

fn with_phase(table: Table, dice: &mut Dice) -> Table {
    match dice.below(8) {
        0..3 => table.draw(),
        3 => table.draw().asked(Asked::Refused),
        4 => table.play(Drew::Discards),
        5 => table.asked(Asked::Refused),
        6 => table.asked(Asked::Granted),
        _ => table,
    }
}

fn with_feet(mut table: Table, dice: &mut Dice) -> Table {
    if dice.below(4) > 0 {
        table = table.foot(1, FootStage::Played);
    }
    if table.rules.seats() == 4 {
        table = match dice.below(6) {
            0 => table,
            1 => table.foot(3, FootStage::TakenUp),
            2 => table.foot(3, FootStage::Played),
            _ => table.foot(3, FootStage::FullTurn),
        };
    }
    table
}

/// One more meld of any legal shape, if the team has no unfinished one of its rank.
fn with_meld(table: Table, ranks: &[Kind], left: &mut Cards, dice: &mut Dice) -> Table {
    let rules = table.rules.clone();
    let size = match rules.has_closed_books() {
        true => dice.one_of(&[3, 4, 5, 6, 7, 7]).min(rules.draft().book_size),
        false => dice.one_of(&[3, 4, 5, 6, 7, 8]),
    };
    let is_wild = rules.wild_meld_allowed() && dice.below(4) == 0;
    let rank = dice.one_of(ranks);
    let wilds = match is_wild {
        true => size,
        false => dice.one_of(&[0, 0, 1, 2]).min(rules.wilds_max(size - size / 3)).min(size / 3),
    };
    let mut kinds = vec![rank; usize::from(size - wilds)];
    kinds.extend((0..wilds).map(|_| dice.one_of(&[Kind::TWO, Kind::JOKER])));
    let team = &table.public.teams[0];
    let unfinished = team.shapes().any(|(_, shape)| {
        let same = match shape.rank {
            handfoot_view::MeldRank::Wild => is_wild,
            handfoot_view::MeldRank::Natural(kind) => !is_wild && kind == rank,
        };
        same && !shape.is_book(&rules)
    });
    let words = dice.words(&kinds, left, &rules);
    match unfinished || words.split(' ').count() < kinds.len() {
        true => table,
        false => table.meld(&words),
    }
}

/// Choices at random.
struct Dice(Xoshiro256PlusPlus);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.0.next_u64() % u64::try_from(end).unwrap()).unwrap()
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// A card of each kind, of any suit, taken out of those left; kinds used up are left out.
    fn words(&mut self, kinds: &[Kind], left: &mut Cards, rules: &Rules) -> String {
        let mut words = Vec::new();
        for kind in kinds {
            let cards: Vec<_> = kind.cards().filter(|card| left.count(*card) > 0).collect();
            if cards.is_empty() {
                continue;
            }
            let card = self.one_of(&cards);
            assert!(left.remove(card));
            words.push(rules.pack().card_name(card).to_string());
        }
        words.join(" ")
    }
}
