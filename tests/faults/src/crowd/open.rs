//! Opening tables, as a platform does.
//!
//! **Invariant:** equal seeds give equal deals.

use std::time::Duration;

use handfoot_client::{PlatformClient, SeatToken};
use handfoot_protocol::v1;
use tokio::task::JoinSet;
use v1::set_seat_request::Occupancy;

use super::{CrowdOrder, people_at};
use crate::house::House;
use crate::trouble::Trouble;

/// Seats of a table.
const SEATS: u32 = 4;

/// Tables that are opened at the same time.
const AT_ONCE: usize = 16;

/// How a table is played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableOrder {
    pub(crate) rounds: u32,
    /// How long a bot takes for a visible action at least.
    pub(crate) pace: Duration,
}

/// A table with what it takes to play and to watch it.
#[derive(Clone, Debug)]
pub(crate) struct Opened {
    pub(crate) id: String,
    /// Fixes its deals.
    pub(crate) seed: u64,
    pub(crate) spectator: SeatToken,
    /// Seats that are a person's, with their tokens.
    pub(crate) people: Vec<(u32, SeatToken)>,
}

/// Opens tables and starts their games.
///
/// # Errors
///
/// What the service says.
pub(crate) async fn open(house: &House, order: &CrowdOrder) -> Result<Vec<Opened>, Trouble> {
    let platform = house.platform()?;
    let (mut opening, mut tables) = (JoinSet::new(), Vec::new());
    for number in 0..order.tables {
        if opening.len() >= AT_ONCE {
            tables.extend(next(&mut opening).await?);
        }
        let seed = house.setting.seed.wrapping_mul(10_000).wrapping_add(number as u64);
        let (platform, table) = (platform.clone(), order.table);
        opening.spawn(async move {
            Ok((number, open_one(platform, table, people_at(number), seed).await?))
        });
    }
    while !opening.is_empty() {
        tables.extend(next(&mut opening).await?);
    }
    tables.sort_by_key(|(number, _)| *number);
    Ok(tables.into_iter().map(|(_, opened)| opened).collect())
}

/// Waits for the next table that is open, and its number.
async fn next(
    opening: &mut JoinSet<Result<(usize, Opened), Trouble>>,
) -> Result<Option<(usize, Opened)>, Trouble> {
    match opening.join_next().await {
        Some(Ok(opened)) => opened.map(Some),
        Some(Err(error)) => Err(Trouble::Own(error.to_string())),
        None => Ok(None),
    }
}

/// Creates a table and nothing more.
///
/// # Errors
///
/// What the service says.
pub(crate) async fn create(
    platform: &PlatformClient,
    order: TableOrder,
    seed: u64,
) -> Result<String, Trouble> {
    let length =
        v1::Length { rounds: Some(order.rounds), target: None, tie: v1::Tie::Shared as i32 };
    let rules = v1::RulesChoice {
        preset_id: "whitnack".to_owned(),
        players: SEATS,
        changes: Some(v1::RulesDraft { length: Some(length), ..Default::default() }),
        ..Default::default()
    };
    let options = v1::TableOptions {
        bot_pace_ms: u32::try_from(order.pace.as_millis()).unwrap_or(u32::MAX),
        ..Default::default()
    };
    let create = v1::CreateTableRequest {
        rules: Some(rules),
        options: Some(options),
        chosen_seed: Some(seed),
        ..Default::default()
    };
    let created = platform.create(create).await.map_err(Trouble::call("creating a table"))?;
    Ok(created.table.map(|table| table.table_id).unwrap_or_default())
}

/// Opens a table with people at these seats and bots at all others, and starts its game.
///
/// # Errors
///
/// What the service says.
pub(crate) async fn open_one(
    platform: PlatformClient,
    order: TableOrder,
    people: &'static [u32],
    seed: u64,
) -> Result<Opened, Trouble> {
    let id = create(&platform, order, seed).await?;
    for seat in 1..=SEATS {
        let occupancy = match people.contains(&seat) {
            true => Occupancy::Person(v1::Person {
                player_id: format!("player-{seat}"),
                ..Default::default()
            }),
            false => {
                let level = if seat % 2 == 0 { "casual" } else { "random" };
                Occupancy::Bot(v1::Bot { level: level.to_owned() })
            }
        };
        let set = v1::SetSeatRequest {
            table_id: id.clone(),
            seat,
            occupancy: Some(occupancy),
            ..Default::default()
        };
        platform.seat(set).await.map_err(Trouble::call("setting a seat"))?;
    }
    let spectator = token(&platform, &id, 0).await?;
    let mut tokens = Vec::new();
    for &seat in people {
        tokens.push((seat, token(&platform, &id, seat).await?));
    }
    let start = v1::StartTableRequest { table_id: id.clone() };
    platform.start_table(start).await.map_err(Trouble::call("starting a table"))?;
    Ok(Opened { id, seed, spectator, people: tokens })
}

/// A token of a seat, or of who watches only.
///
/// # Errors
///
/// What the service says.
pub(crate) async fn token(
    platform: &PlatformClient,
    table_id: &str,
    seat: u32,
) -> Result<SeatToken, Trouble> {
    let table_id = table_id.to_owned();
    let request = v1::IssueSeatTokenRequest { table_id, seat, ..Default::default() };
    let issued = platform.issue(request).await.map_err(Trouble::call("issuing a token"))?;
    Ok(issued.token)
}
