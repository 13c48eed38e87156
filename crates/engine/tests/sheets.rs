//! Score sheets of random games.
//!
//! **Invariant:** what a sheet says is compared with what the engine scored.

use handfoot_engine::{Events, Game};
use handfoot_rules::ScoreLine;
use handfoot_view::{Seat, sample};

use crate::games::{chance, every_table, game};

/// Lines, melds and cards held of each round add up to the change of the total; books are listed
/// one by one; a snapshot keeps all of it. Rule: HF-10.1 to HF-10.4, HF-10.20
#[test]
fn the_lines_of_a_sheet_add_up() {
    let (mut rounds, mut books) = (0, 0);
    for (seed, rules) in (1..).zip(every_table()) {
        let mut game = game(&rules, seed);
        let (mut chooser, mut events) = (chance(seed), Events::new());
        let mut before: Vec<i32> = vec![0; rules.teams()];
        loop {
            events.clear();
            if let Some(seat) = game.public().to_act() {
                let action = sample(game.view(seat).as_ref(), &mut chooser).unwrap();
                game.play(seat, &action, &mut events).unwrap();
                continue;
            }
            let sheet = game.score_sheet();
            let round = sheet.rounds.last().unwrap();
            for (index, team) in round.teams.iter().enumerate() {
                let table = &game.public().teams[index];
                let points = |line| team.score.line(line).points;
                assert_eq!(team.score.total(), table.total - before[index]);
                assert_eq!(
                    (team.books_points + team.other_points, team.running_total),
                    (team.total, table.total)
                );
                let melded: i32 = team.melds.iter().map(|meld| meld.points).sum();
                let bonuses: i32 = team.melds.iter().map(|meld| meld.bonus).sum();
                assert_eq!((melded, bonuses), (points(ScoreLine::CardsMelded), team.books_points));
                let held: i32 = round
                    .seats()
                    .filter(|(seat, _)| game.public().team_of(*seat).index() == index)
                    .map(|(_, held)| held.points)
                    .sum();
                let lines =
                    [ScoreLine::CardsHeld, ScoreLine::BlackThreesHeld, ScoreLine::RedThreesHeld];
                assert_eq!(held, lines.map(points).iter().sum::<i32>());
                before[index] = table.total;
                books += team.melds.iter().filter(|meld| meld.bonus > 0).count();
            }
            rounds += 1;
            let restored = Game::restore(&rules, game.snapshot().reveal()).unwrap();
            assert_eq!(restored.score_sheet(), sheet);
            if game.deal_next(&[], &mut events).is_err() {
                let leaders: Vec<_> = game.public().leaders().collect();
                assert_eq!(sheet.leaders, leaders);
                assert!(Seat::all(rules.seats()).len() == round.held.len());
                break;
            }
        }
    }
    assert!(rounds > 20 && books > 100, "{rounds} rounds, {books} books");
}
