//! scratch
use std::sync::Arc;
use handfoot_bots::*;
use handfoot_engine::*;
use handfoot_rules::*;
use handfoot_view::*;
use rand_core::SeedableRng;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let games: u64 = args[1].parse().unwrap();
    let level: Level = args[2].parse().unwrap();
    let players: u8 = args[3].parse().unwrap();
    let redeal: u64 = args[4].parse().unwrap();
    let preset = Preset::find("whitnack").unwrap();
    let rules = Arc::new(Rules::new(preset.draft(Some(players), None).unwrap()).unwrap().rules);
    let mut events = Events::new();
    let (mut rounds, mut out, mut turns, mut books) = (0u64, 0u64, 0u64, [0u64; 3]);
    let t = std::time::Instant::now();
    for g in 0..games {
        events.clear();
        let game = Game::new(Arc::clone(&rules), TableOptions { undo: Undo::OwnTurn }, "t", Seed::chosen(g), None, &mut events);
        let bots = BotSeed::chosen(g);
        let mut rng = Chance::seed_from_u64(g);
        let game = if redeal > 0 {
            laws::play_to_end(game, redeal, &mut rng, |view| level.policy().choose(view, &mut bots.chance(view))).unwrap_or_else(|(b, game)| panic!("game {g} {b} {:?}", game.public()))
        } else {
            let mut game = game;
            loop { events.clear(); match game.public().to_act() { Some(seat) => { let a = { let v = game.view(seat).as_ref(); level.policy().choose(v, &mut rng).unwrap() }; if let Err(e) = game.play(seat, &a, &mut events) { panic!("{e:?} {a:?}") } } None => if game.deal_next(&[], &mut events).is_err() { break game } } }
        };
        for r in game.history() {
            rounds += 1; turns += u64::from(r.turns);
            if matches!(r.how, RoundEnd::WentOut(_)) { out += 1; }
            for s in &r.scores { for (i, l) in [ScoreLine::CleanBooks, ScoreLine::DirtyBooks, ScoreLine::WildBooks].into_iter().enumerate() { books[i] += u64::from(s.line(l).count); } }
        }
        if g == 0 { for r in game.history() { println!("{:?} {:?} turns {}", r.how, r.scores.iter().map(|s| s.total()).collect::<Vec<_>>(), r.turns); } }
    }
    println!("{games} games {rounds} rounds {:.2} out {:.1} turns, books/round {:?} in {:.1}s", out as f64 / rounds as f64, turns as f64 / rounds as f64, books.map(|b| b as f64 / rounds as f64), t.elapsed().as_secs_f64());
}
