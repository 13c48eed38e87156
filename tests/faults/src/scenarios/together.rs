//! Two callers change one table at the same moment, each on a replica of its own.
//!
//! **Invariant:** neither waits for the other: which of both comes first is chance.

use std::time::Duration;

use handfoot_client::{ClientError, Decision, PlatformClient, PlatformCredential, PlayClient};
use handfoot_protocol::{Advice, v1};

use crate::crowd::open::{TableOrder, create, open_one};
use crate::house::{House, Order};
use crate::scenario::{Play, Scene, Tried};
use crate::setting::{Setting, pick};
use crate::trouble::Trouble;
use crate::verdict::{Calls, Expect};

/// How often two decide on one version.
const DECISIONS: usize = 120;

/// How often two sit down.
const SEATINGS: u64 = 20;

const ASIDE: TableOrder = TableOrder { rounds: 1, pace: Duration::ZERO };

/// Fault list: R57, R59.
pub(crate) async fn of_two_at_the_same_moment_one_or_both_are_kept(
    setting: &Setting,
) -> Result<Tried, Trouble> {
    let mut scene = Scene::open(setting, Order::alone(), Play::FAST).await?;
    scene.strike();
    for number in 0..SEATINGS {
        let seated = sit_down(&scene.house, number).await?;
        scene.must("of two that sat down at the same moment one was rubbed out", seated == [1, 2]);
    }
    decide(&mut scene, setting).await?;
    scene.end(&Expect { calls: Calls::NeverFail, ..Expect::default() }).await
}

fn platform(house: &House, replica: usize) -> Result<PlatformClient, Trouble> {
    let credential = PlatformCredential::new(&house.credentials.platform);
    let credential = credential.map_err(|error| Trouble::Own(error.to_string()))?;
    Ok(PlatformClient::new(house.connection_to(replica)?, credential))
}

/// Two people sit down on two replicas; gives the seats that are a person's then.
async fn sit_down(house: &House, number: u64) -> Result<Vec<u32>, Trouble> {
    let (one, two) = (platform(house, 0)?, platform(house, 1)?);
    let table_id = create(&one, ASIDE, number).await?;
    let set = |seat: u32| v1::SetSeatRequest {
        table_id: table_id.clone(),
        seat,
        occupancy: Some(v1::set_seat_request::Occupancy::Person(v1::Person {
            player_id: format!("player-{seat}"),
            ..Default::default()
        })),
        ..Default::default()
    };
    let (first, second) = tokio::join!(one.seat(set(1)), two.seat(set(2)));
    first.and(second).map_err(Trouble::call("setting a seat"))?;
    let request = v1::GetTableRequest { table_id };
    let table = two.get_table(request).await.map_err(Trouble::call("asking for a table"))?;
    let seats = table.table.unwrap_or_default().seats.into_iter();
    let owner = |seat: &v1::SeatPlayer| seat.owner.as_ref().and_then(|owner| owner.owner.clone());
    let people = seats.filter(|seat| matches!(owner(seat), Some(v1::seat_owner::Owner::Person(_))));
    Ok(people.map(|seat| seat.seat).collect())
}

/// Two different decisions on one version, again and again: one stands.
async fn decide(scene: &mut Scene, setting: &Setting) -> Result<(), Trouble> {
    let opened = open_one(scene.house.platform()?, ASIDE, &[1, 2, 3, 4], setting.seed).await?;
    let mut seats = Vec::new();
    for (_, token) in &opened.people {
        let on = |replica| {
            let connection = scene.house.connection_to(replica)?;
            Ok::<_, Trouble>(PlayClient::new(connection, token.clone()))
        };
        seats.push([on(0)?, on(1)?]);
    }
    let mut chance = setting.chance(3);
    let mut n_both_legal = 0;
    for _ in 0..DECISIONS {
        let known = seats[0][0].view().await.map_err(Trouble::call("asking for a view"))?;
        let Some(seat) = known.view.table.to_act() else { break };
        let [one, two] = &seats[seat.index()];
        let legal = one.legal().await.map_err(Trouble::call("asking what is legal"))?;
        let mut action = || {
            let at = pick(&mut chance, legal.actions.len());
            Decision::new(legal.version, legal.actions.get(at).cloned().into_iter().collect())
        };
        let (first, second) = (action(), action());
        let (first, second) = tokio::join!(one.submit(&first), two.submit(&second));
        let is_stale = |error: &ClientError| error.advice() == Advice::Reread;
        match (&first, &second) {
            (Ok(_), Err(error)) | (Err(error), Ok(_)) if is_stale(error) => n_both_legal += 1,
            (Ok(_), Ok(_)) => scene.must("two decisions on one version were both played", false),
            (Ok(_) | Err(_), Err(error)) | (Err(error), Ok(_)) => {
                scene.must(&format!("of two decisions one got {}", error.label()), false);
            }
        }
    }
    scene.count("decisions on one version of which one stood", n_both_legal);
    scene.must("no two decided on one version", n_both_legal > 0);
    Ok(())
}
