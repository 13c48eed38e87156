//! Tests of the bots: what they play is frozen, legal, and never rests on a hidden card.
//!
//! **Invariant:** bots get views; only these tests hold games.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod shares;
mod wilds;

use std::sync::Arc;

use handfoot_bots::{BotSeed, Level};
use handfoot_engine::{Events, Game, Seed, World, laws};
use handfoot_rules::{
    BlackThreeMeld, DiscardLock, ExtendBook, ExtendWild, FirstUpcard, LastDiscard, Need,
    OpeningBook, OpeningStep, PerRound, Preset, RedThreeMode, Rules, RulesDraft,
    SpecialLastDiscard, SpecialRank, TakeCount, TakeMatch, WildDiscard, WildMeld, WildTop,
};
use handfoot_view::{Phase, RoundEnd, TableOptions, ViewRef};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use sha2::{Digest, Sha256};

fn rules(preset: &str, players: u8) -> Arc<Rules> {
    let draft = Preset::find(preset).unwrap().draft(Some(players), None).unwrap();
    Arc::new(Rules::new(draft).unwrap().rules)
}

fn game(rules: &Arc<Rules>, seed: u64) -> Game {
    let options = TableOptions::default();
    Game::new(Arc::clone(rules), options, "bots", Seed::chosen(seed), None, &mut Events::new())
}

/// Plays a game to its end with one level on every seat.
fn play(rules: &Arc<Rules>, seed: u64, level: Level) -> Game {
    let bots = BotSeed::chosen(seed);
    let choose = |view: ViewRef<'_>| level.policy().choose(view, &mut bots.chance(view));
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    laws::play_to_end(game(rules, seed), 64, &mut rng, choose)
        .map_err(|(broken, _)| broken)
        .unwrap()
}

/// What a game came to, as one hash of every score line of every team and round.
fn outcome(games: impl Iterator<Item = Game>) -> String {
    let mut hash = Sha256::new();
    for game in games {
        for round in game.history() {
            hash.update(round.turns.to_be_bytes());
            let lines = round.scores.iter().flat_map(handfoot_rules::RoundScore::lines);
            // Lines that these rules never use are newer than the hashes.
            for (_, line) in lines.filter(|(line, _)| line.is_used_by(game.rules())) {
                hash.update(line.count.to_be_bytes());
                hash.update(line.points.to_be_bytes());
            }
        }
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Stronger levels are measured against `casual`, so what it plays on `whitnack` never changes.
#[test]
fn casual_is_frozen_on_whitnack() {
    let hashes = [2, 3, 4, 5, 6].map(|players| {
        let rules = rules("whitnack", players);
        (players, outcome((0..8).map(|seed| play(&rules, seed, Level::Casual))))
    });
    let frozen = FROZEN.map(|(players, hash)| (players, hash.to_owned()));
    assert_eq!(hashes, frozen);
}

/// Hashes of eight games of `casual` by number of players.
const FROZEN: [(u8, &str); 5] = [
    (2, "af8f70b3ebd20d6c"),
    (3, "b9b7355eb2291bd6"),
    (4, "33129dd3655622ad"),
    (5, "46a3f705afe50574"),
    (6, "20e5006eed1a9c46"),
];

/// Whatever a seat cannot see may be dealt anew: every level does the same. Rule: HF-11.2
#[test]
fn no_level_peeks() {
    let tables = [rules("whitnack", 4), rules("pennies-from-heaven", 6)];
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for (rules, level) in tables.iter().flat_map(|rules| Level::ALL.map(|level| (rules, level))) {
        let decisions: u32 =
            (0..3).map(|seed| unmoved_decisions(rules, seed, level, &mut rng)).sum();
        assert!(decisions > 1500, "{decisions} decisions");
    }
}

/// Plays a game and asks for each decision again after dealing anew what its seat cannot see;
/// how many decisions there were.
fn unmoved_decisions(
    rules: &Arc<Rules>,
    seed: u64,
    level: Level,
    rng: &mut Xoshiro256PlusPlus,
) -> u32 {
    let mut game = game(rules, seed);
    let bots = BotSeed::chosen(seed);
    let mut events = Events::new();
    let mut decisions = 0;
    loop {
        events.clear();
        let Some(seat) = game.public().to_act() else {
            if game.deal_next(&[], &mut events).is_err() {
                return decisions;
            }
            continue;
        };
        let view = game.view(seat).as_ref();
        let action = level.policy().choose(view, &mut bots.chance(view)).unwrap();
        let world = World::resample(view, rules, rng);
        let there = world.view(seat);
        let again = level.policy().choose(there, &mut bots.chance(there)).unwrap();
        assert_eq!(action, again, "{} in game {seed}", level.name());
        decisions += 1;
        game.play(seat, &action, &mut events).unwrap();
    }
}

/// With partners `casual` ends most rounds by going out.
#[test]
fn casual_goes_out() {
    let rules = rules("whitnack", 4);
    let rounds: Vec<_> =
        (100..120).flat_map(|seed| play(&rules, seed, Level::Casual).history().to_vec()).collect();
    let out = rounds.iter().filter(|round| matches!(round.how, RoundEnd::WentOut(_))).count();
    assert!(out * 2 > rounds.len(), "{out} of {} rounds", rounds.len());
}

/// Every level copes with what else the rules may say of packets, foot, stock and red threes.
#[test]
fn every_level_finishes_under_other_rules() {
    use handfoot_rules::{
        FootAfterDiscard, FootAfterMeld, FootTrigger, NoStock, PerRound, RedThreeMode, RulesDraft,
        StockShort, StockThen, StockTrigger, WildDiscard,
    };
    let changes: [fn(&mut RulesDraft); 8] = [
        |d| d.foot.trigger = FootTrigger::FirstBook,
        |d| d.foot.after_discard = FootAfterDiscard::NotAllowed,
        |d| {
            d.foot.after_discard = FootAfterDiscard::EndOfTurn;
            d.foot.after_meld = FootAfterMeld::EndTurn;
        },
        |d| d.packets = PerRound::Each(vec![vec![15, 13, 11], vec![11]]),
        |d| {
            d.red_three.mode = RedThreeMode::Penalty;
            (d.red_three.laid, d.red_three.held) = (None, -500);
        },
        |d| {
            d.stock_out.then = StockThen::PlayOn;
            d.stock_out.short = StockShort::DrawRest;
            d.red_three.no_stock = NoStock::Skip;
            d.foot.after_discard = FootAfterDiscard::NotAllowed;
        },
        |d| {
            d.wild_discard = WildDiscard::RemoveDiscards;
            d.stock_out.then = StockThen::ReshuffleDiscards;
        },
        |d| d.stock_out.trigger = StockTrigger::Empty,
    ];
    for change in changes {
        let mut draft = Preset::find("whitnack").unwrap().draft(Some(4), None).unwrap();
        draft.length.rounds = Some(2);
        change(&mut draft);
        let rules = Arc::new(Rules::new(draft).unwrap().rules);
        for level in Level::ALL {
            let game = play(&rules, 7, level);
            assert!(matches!(game.public().phase, Phase::GameOver { .. }));
        }
    }
}

/// Every level plays every preset at every size of table to its end.
#[test]
fn every_level_finishes_every_table() {
    for preset in Preset::all() {
        for seating in &preset.seating {
            let draft = preset.draft(Some(seating.players), None).unwrap();
            let rules = Arc::new(Rules::new(draft).unwrap().rules);
            for level in Level::ALL {
                let game = play(&rules, 7, level);
                assert!(matches!(game.public().phase, Phase::GameOver { .. }));
            }
        }
    }
}

/// Rules as other tables play them, each with several choices that `whitnack` does not use.
fn other_rules() -> Vec<(&'static str, Arc<Rules>)> {
    let of = |players, change: fn(&mut RulesDraft)| {
        let mut draft = Preset::find("whitnack").unwrap().draft(Some(players), None).unwrap();
        change(&mut draft);
        Arc::new(Rules::new(draft).unwrap().rules)
    };
    vec![
        ("saskatchewan", of(4, saskatchewan)),
        ("simpson", of(3, simpson)),
        ("brouillette", of(4, brouillette)),
        ("pennies from heaven", of(6, pennies_from_heaven)),
        ("demeritt", of(4, demeritt)),
        ("blockers", of(4, blockers)),
        ("remastered", of(4, remastered)),
    ]
}

fn saskatchewan(draft: &mut RulesDraft) {
    draft.extend.clean = ExtendBook::Natural;
    draft.extend.dirty = ExtendBook::Natural;
    draft.extend.wild = ExtendWild::Wild;
    draft.wild_limit.a.numerator = 1;
    draft.wild_limit.b = 1;
    draft.wild_limit.max = Some(3);
    draft.opening.steps[3] = OpeningStep::Book(OpeningBook::BookFromHand);
    draft.take.count = PerRound::Same(TakeCount::All);
    draft.need = needs([1, 1, 1, 0, 0]);
}

fn simpson(draft: &mut RulesDraft) {
    draft.extend.clean = ExtendBook::Any;
    draft.extend.dirty = ExtendBook::Any;
    draft.wild_limit.a.numerator = 1;
    draft.wild_limit.b = 1;
    draft.wild_meld = WildMeld::Barred;
    draft.take.wild_top = WildTop::Barred;
    draft.per_rank.total = Some(1);
    draft.need = needs([1, 1, 0, 0, 0]);
    draft.last_discard = LastDiscard::Required;
}

fn brouillette(draft: &mut RulesDraft) {
    draft.extend.clean = ExtendBook::Any;
    draft.extend.dirty = ExtendBook::Any;
    draft.wild_meld = WildMeld::Barred;
    draft.take.wild_top = WildTop::Barred;
    draft.black_three.meld = BlackThreeMeld::Set;
    draft.black_three.melded_value = Some(-5);
    draft.need = needs([2, 2, 0, 0, 0]);
}

fn pennies_from_heaven(draft: &mut RulesDraft) {
    draft.special = vec![SpecialRank {
        rank: "7".to_owned(),
        book_bonus: 1500,
        discard_lock: DiscardLock::UntilEachTeam,
        last_discard: SpecialLastDiscard::Banned,
    }];
    draft.take.count = PerRound::Same(TakeCount::All);
    draft.take.wild_top = WildTop::Barred;
    draft.wild_discard = WildDiscard::Freeze;
    draft.take.matching = TakeMatch::PairOrAddToMeld;
    draft.need = needs([1, 1, 1, 1, 0]);
    draft.black_three.meld = BlackThreeMeld::SetWhenGoingOut;
}

fn demeritt(draft: &mut RulesDraft) {
    draft.extend.dirty = ExtendBook::Any;
    draft.wild_meld = WildMeld::Barred;
    draft.take.wild_top = WildTop::Barred;
    draft.take.first_upcard = FirstUpcard::Free;
    draft.need = needs([2, 1, 0, 0, 0]);
}

fn blockers(draft: &mut RulesDraft) {
    draft.red_three.mode = RedThreeMode::Blocker;
    draft.red_three.held = -500;
    draft.extend.clean = ExtendBook::Any;
    draft.extend.dirty = ExtendBook::Any;
    draft.extend.wild = ExtendWild::Wild;
    draft.need = needs([0, 0, 0, 0, 3]);
}

fn remastered(draft: &mut RulesDraft) {
    draft.last_discard = LastDiscard::Forbidden;
    draft.per_rank.open = 2;
    draft.take.matching = TakeMatch::NaturalPlusWild;
}

fn needs([clean, dirty, wild, sevens, total]: [u8; 5]) -> PerRound<Need> {
    PerRound::Same(Need { clean, dirty, wild, sevens, total })
}

/// Bots cope with rules of other tables: whole games keep every law.
#[test]
fn every_level_finishes_games_of_other_rules() {
    for (name, rules) in other_rules() {
        for level in Level::ALL {
            let games: Vec<Game> = (0..2).map(|seed| play(&rules, seed, level)).collect();
            let results = games.iter().flat_map(Game::history);
            let went_out = |how| matches!(how, RoundEnd::WentOut(_));
            let (rounds, out) = results.fold((0, 0), |(rounds, out), result| {
                (rounds + 1, out + u32::from(went_out(result.how)))
            });
            assert!(rounds > 0, "{name}");
            if level == Level::Casual {
                assert!(out > 0, "{name}: nobody went out in {rounds} rounds");
            }
        }
    }
}
