//! Calls of a platform, and what to say when one fails.
//!
//! **Invariant:** a failure says what is wrong and what to do, in words for whoever typed the
//! command.

use handfoot_bots::Level;
use handfoot_client::{ClientError, PlatformClient, SeatToken};
use handfoot_protocol::{Advice, encode_draft, v1};
use v1::set_seat_request::Occupancy;

use crate::exit::{Exit, Stop, failed};
use crate::setup::NamedRules;

/// Who has a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sitter {
    /// Whoever sits at the terminal.
    Person,
    /// A bot.
    Bot(Level),
}

/// A table to open.
pub(crate) struct Order<'a> {
    pub(crate) rules: &'a NamedRules,
    /// What fixes its deals; none: a secret of the server.
    pub(crate) seed: Option<u64>,
    /// Who sits where, in order.
    pub(crate) sitters: &'a [Sitter],
}

/// Creates a table, seats everybody and starts the game. Gives the table's id.
pub(crate) async fn open(platform: &PlatformClient, order: &Order<'_>) -> Result<String, Stop> {
    let doing = "the table cannot be opened";
    let request = v1::CreateTableRequest {
        rules: Some(v1::RulesChoice {
            changes: Some(encode_draft(order.rules.rules.draft())),
            ..Default::default()
        }),
        chosen_seed: order.seed,
        ..Default::default()
    };
    let created = platform.create(request).await.map_err(|error| call_failed(doing, &error))?;
    let table_id = created.table.map(|table| table.table_id).unwrap_or_default();
    for (number, sitter) in (1..).zip(order.sitters) {
        let occupancy = match sitter {
            Sitter::Person => Occupancy::Person(v1::Person {
                player_id: "terminal".to_owned(),
                display_name: String::new(),
            }),
            Sitter::Bot(level) => Occupancy::Bot(v1::Bot { level: level.name().to_owned() }),
        };
        let request = v1::SetSeatRequest {
            table_id: table_id.clone(),
            seat: number,
            occupancy: Some(occupancy),
        };
        platform.set_seat(request).await.map_err(|error| call_failed(doing, &error))?;
    }
    let request = v1::StartTableRequest { table_id: table_id.clone() };
    platform.start_table(request).await.map_err(|error| call_failed(doing, &error))?;
    Ok(table_id)
}

/// A token for a seat by its number, or for whoever watches with 0.
pub(crate) async fn token(
    platform: &PlatformClient,
    table_id: &str,
    seat: u32,
) -> Result<SeatToken, Stop> {
    let request =
        v1::IssueSeatTokenRequest { table_id: table_id.to_owned(), seat, ..Default::default() };
    let issued = platform.issue(request).await;
    issued.map(|issued| issued.token).map_err(|error| call_failed("no seat can be had", &error))
}

/// What a call that failed means for a command.
pub(crate) fn call_failed(doing: &str, error: &ClientError) -> Stop {
    let (exit, next) = match error.advice() {
        Advice::Authorise => (Exit::NotAllowed, "the token that handfoot serve printed"),
        Advice::Retry => (Exit::Unavailable, "again when a server is there: handfoot serve --bots"),
        Advice::FixRequest | Advice::Decide => (Exit::Usage, "handfoot help, and other words"),
        Advice::Wait | Advice::Reread => (Exit::Unavailable, "the same again"),
        Advice::GiveUp => (Exit::Internal, "to report it, with what was printed"),
    };
    failed(exit, format!("{doing}: {error}"), next)
}
