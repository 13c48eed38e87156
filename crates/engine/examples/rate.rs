//! scratch
use handfoot_engine::*;
use handfoot_rules::*;
use handfoot_view::*;
use rand_xoshiro::rand_core::SeedableRng;
use std::sync::Arc;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let games: u64 = args[1].parse().unwrap();
    let check = args.len() > 2;
    let preset = Preset::find("whitnack").unwrap();
    let rules = Arc::new(Rules::new(preset.draft(None, None).unwrap()).unwrap().rules);
    let mut events = Events::new();
    let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut decisions, mut rounds, mut out, mut turns) = (0u64, 0u64, 0u64, 0u64);
    let t = std::time::Instant::now();
    for g in 0..games {
        let mut game = Game::new(
            Arc::clone(&rules),
            TableOptions { undo: Undo::OwnTurn },
            "t",
            Seed::chosen(g),
            None,
            &mut events,
        );
        loop {
            events.clear();
            let Some(seat) = game.public().to_act() else {
                rounds += 1;
                turns += u64::from(game.public().turns);
                let r = game.history().last().unwrap();
                if matches!(r.how, RoundEnd::WentOut(_)) {
                    out += 1;
                }
                if g == 0 {
                    println!(
                        "{:?} {:?} turns {}",
                        r.how,
                        r.scores.iter().map(|s| s.total()).collect::<Vec<_>>(),
                        r.turns
                    );
                }
                if game.deal_next(&[], &mut events).is_err() {
                    break;
                }
                continue;
            };
            let action = sample(game.view(seat).as_ref(), &mut rng).unwrap();
            if let Err(e) = game.play(seat, &action, &mut events) {
                panic!("{e:?} {action:?}");
            }
            if check {
                game.check().unwrap();
            }
            decisions += 1;
        }
        if g == 0 {
            println!(
                "state {} bytes, event {}, action {}",
                game.state_bytes(),
                size_of::<Event>(),
                size_of::<Action>()
            );
        }
    }
    let s = t.elapsed().as_secs_f64();
    println!(
        "{games} games {rounds} rounds {out} out {turns} turns {decisions} decisions {:.0}/s",
        decisions as f64 / s
    );
}
