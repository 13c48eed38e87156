//! The laws over random play in rule sets that use the choices of D.1, alone and together.
//!
//! **Invariant:** a failure prints the changes made to the default rules and the seed.

use std::sync::Arc;

use handfoot_engine::laws::play_to_end;
use handfoot_rules::{
    BlackThreeMeld, Buried, DiscardLock, ExtendBook, ExtendWild, FirstUpcard, LastDiscard, Need,
    OpeningBook, OpeningStep, OpeningViaDiscards, OpeningWilds, PartnerCondition, PerRound,
    Permission, Preset, Ratio, RedThreeMode, Rules, RulesDraft, SpecialLastDiscard, SpecialRank,
    TakeCount, TakeMatch, UnfinishedSecond, WildDiscard, WildMeld, WildTop,
};
use handfoot_view::{Action, ViewRef, list, sample};
use rand_xoshiro::rand_core::Rng;

use handfoot_test_kit::{chance, game};

/// A change to the default rules, with its name.
type Change = (&'static str, fn(&mut RulesDraft));

fn sevens(draft: &mut RulesDraft, discard_lock: DiscardLock) {
    draft.special = vec![SpecialRank {
        rank: "7".to_owned(),
        book_bonus: 1500,
        discard_lock,
        last_discard: SpecialLastDiscard::Banned,
    }];
}

fn need(clean: u8, dirty: u8, wild: u8, sevens: u8, total: u8) -> PerRound<Need> {
    PerRound::Same(Need { clean, dirty, wild, sevens, total })
}

fn no_wild_melds(draft: &mut RulesDraft) {
    draft.wild_meld = WildMeld::Barred;
    draft.take.wild_top = WildTop::Barred;
    draft.need = need(1, 1, 0, 0, 0);
}

/// Each choice by itself.
const CHANGES: &[Change] = &[
    ("small books", |d| {
        d.book_size = 3;
        d.meld_min = 2;
        d.wild_limit.a = Ratio { numerator: 1, denominator: 1 };
        d.wild_limit.min_natural = 1;
    }),
    ("large books", |d| {
        d.book_size = 10;
        d.meld_min = 4;
        d.need = need(1, 0, 0, 0, 0);
    }),
    ("naturals onto books", |d| {
        d.extend.clean = ExtendBook::Natural;
        d.extend.dirty = ExtendBook::Natural;
        d.extend.wild = ExtendWild::Wild;
    }),
    ("anything onto books", |d| {
        d.extend.clean = ExtendBook::Any;
        d.extend.dirty = ExtendBook::Any;
    }),
    ("dirty books grow", |d| d.extend.dirty = ExtendBook::Any),
    ("a fraction", |d| d.wild_limit.a = Ratio { numerator: 3, denominator: 2 }),
    ("majority", |d| {
        d.wild_limit.a = Ratio { numerator: 1, denominator: 1 };
        d.wild_limit.b = 1;
        d.wild_limit.max = Some(3);
    }),
    ("canasta wilds", |d| {
        d.wild_limit.a = Ratio { numerator: 0, denominator: 1 };
        d.wild_limit.max = Some(3);
    }),
    ("four naturals", |d| d.wild_limit.min_natural = 4),
    ("no wild melds", no_wild_melds),
    ("two open", |d| d.per_rank.open = 2),
    ("one a rank", |d| {
        d.per_rank.total = Some(1);
        d.need = need(1, 1, 0, 0, 0);
    }),
    ("two a rank", |d| d.per_rank.total = Some(2)),
    ("sevens", |d| {
        sevens(d, DiscardLock::UntilEachTeam);
        d.need = need(1, 1, 0, 1, 0);
    }),
    ("own sevens", |d| sevens(d, DiscardLock::UntilOwnTeam)),
    ("black threes", |d| {
        d.black_three.meld = BlackThreeMeld::Set;
        d.black_three.melded_value = Some(-5);
        d.black_three.book_bonus = Some(300);
    }),
    ("black threes going out", |d| d.black_three.meld = BlackThreeMeld::SetWhenGoingOut),
    ("blocker", |d| {
        d.red_three.mode = RedThreeMode::Blocker;
        d.red_three.held = -500;
    }),
    ("book from hand", |d| {
        d.book_size = 5;
        d.opening.steps = vec![OpeningStep::Book(OpeningBook::BookFromHand)];
    }),
    ("clean book", |d| {
        d.book_size = 5;
        d.opening.steps = vec![OpeningStep::Book(OpeningBook::CleanBook)];
    }),
    ("naturals open", |d| d.opening.wilds = OpeningWilds::Ignored),
    ("opened first", |d| d.opening.via_discards = OpeningViaDiscards::Barred),
    ("add to meld", |d| d.take.matching = TakeMatch::PairOrAddToMeld),
    ("natural plus wild", |d| d.take.matching = TakeMatch::NaturalPlusWild),
    ("one natural", |d| d.take.matching = TakeMatch::OneNatural),
    ("free upcard", |d| d.take.first_upcard = FirstUpcard::Free),
    ("all, of five", |d| {
        d.take.count = PerRound::Same(TakeCount::All);
        d.take.min_size = 5;
    }),
    ("freeze", |d| {
        d.wild_discard = WildDiscard::Freeze;
        d.upcard.bury = vec![Buried::BlackThree];
        d.take.matching = TakeMatch::PairOrAddToMeld;
    }),
    ("three books", |d| d.need = need(0, 0, 0, 0, 3)),
    ("nobody waits", |d| d.partner = PartnerCondition::None),
    ("in foot", |d| d.partner = PartnerCondition::InFoot),
    ("full turn", |d| d.partner = PartnerCondition::FullTurn),
    ("nobody asks", |d| d.permission = Permission::None),
    ("last discard required", |d| d.last_discard = LastDiscard::Required),
    ("last discard forbidden", |d| d.last_discard = LastDiscard::Forbidden),
    ("second minus", |d| d.unfinished_second = UnfinishedSecond::Minus),
];

/// Small books, so that random play goes out.
fn quick(draft: &mut RulesDraft) {
    draft.book_size = draft.book_size.min(5);
    draft.need = need(1, 0, 0, 0, 0);
    draft.opening.steps = vec![OpeningStep::Points(30)];
}

fn rules(players: u8, changes: &[&Change]) -> Option<Arc<Rules>> {
    let mut draft = Preset::find("whitnack").unwrap().draft(Some(players), None).unwrap();
    draft.length.rounds = Some(2);
    changes.iter().for_each(|(_, change)| change(&mut draft));
    Rules::new(draft).ok().map(|checked| Arc::new(checked.rules))
}

/// Plays a whole game of samples, or of listed actions, with every law checked.
#[track_caller]
fn play(rules: &Arc<Rules>, names: &[&str], seed: u64, every: u64) {
    let mut chooser = chance(seed);
    let mut actions = Vec::new();
    let is_listed = seed % 2 == 1;
    let choose = |view: ViewRef<'_>| match is_listed {
        false => sample(view, &mut chooser),
        true => {
            list(view, &mut actions);
            pick(&actions, &mut chooser)
        }
    };
    let played = play_to_end(game(rules, seed), every, &mut chance(!seed), choose);
    if let Err((broken, game)) = played {
        panic!("{names:?}, seed {seed}: {broken}\n{}", game.position().reveal());
    }
}

fn pick(actions: &[Action], chooser: &mut impl Rng) -> Option<Action> {
    let bound = u64::try_from(actions.len()).unwrap().max(1);
    let index = usize::try_from(chooser.next_u64() % bound).unwrap();
    actions.get(index).cloned()
}

/// Every choice by itself keeps every law, with a usual contract and with one that is soon met.
#[test]
fn each_choice_keeps_every_law() {
    let quick: Change = ("quick", quick);
    for (index, change) in CHANGES.iter().enumerate() {
        let seed = u64::try_from(index).unwrap() * 4;
        for (seed, players) in [(seed, 4), (seed + 1, 3), (seed + 2, 2), (seed + 3, 4)] {
            let changes = match seed % 4 < 2 {
                true => vec![change],
                false => vec![&quick, change],
            };
            let rules = rules(players, &changes).unwrap();
            play(&rules, &[change.0], seed, 8);
        }
    }
}

/// Choices together keep every law.
#[test]
fn choices_together_keep_every_law() {
    let mut dice = chance(7);
    let mut played = 0;
    let quick: Change = ("quick", quick);
    for seed in 0..60u64 {
        let mut changes = vec![&quick];
        for change in CHANGES {
            if dice.next_u64().is_multiple_of(5) {
                changes.push(change);
            }
        }
        let players = [2, 3, 4, 6][usize::try_from(seed % 4).unwrap()];
        let Some(rules) = rules(players, &changes) else { continue };
        let names: Vec<&str> = changes.iter().map(|(name, _)| *name).collect();
        play(&rules, &names, seed, 8);
        played += 1;
    }
    assert!(played > 30, "{played} rule sets could be played");
}
