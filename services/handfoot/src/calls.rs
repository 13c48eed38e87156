//! Calls of a platform, and what to say when one fails.
//!
//! **Invariant:** a failure says what is wrong and what to do, in words for whoever typed the
//! command.

use handfoot_bots::Level;
use handfoot_client::{ClientError, PlatformClient, SeatToken};
use handfoot_protocol::{Advice, encode_draft, v1};
use v1::set_seat_request::Occupancy;

use crate::exit::{Exit, Stop, failed};
use crate::options::OptionsChoice;
use crate::secure;
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
    /// What it is played with beside the rules.
    pub(crate) options: OptionsChoice,
    /// Who says where everybody sits.
    pub(crate) seat_order: v1::SeatOrder,
    /// Who sits down, in order of seats unless these are drawn.
    pub(crate) sitters: &'a [Sitter],
}

/// A table that was opened.
pub(crate) struct Opened {
    pub(crate) table_id: String,
    /// The seat of the person; 0 if there is none.
    pub(crate) seat: u32,
}

/// Creates a table, seats everybody and starts the game.
pub(crate) async fn open(platform: &PlatformClient, order: &Order<'_>) -> Result<Opened, Stop> {
    let doing = "the table cannot be opened";
    let first_dealer = order.options.first_dealer(&order.rules.rules)?;
    let mut seat_of_person = 0;
    let request = v1::CreateTableRequest {
        rules: Some(v1::RulesChoice {
            changes: Some(encode_draft(order.rules.rules.draft())),
            ..Default::default()
        }),
        options: Some(order.options.message(order.seat_order)),
        first_dealer: first_dealer.map_or(0, |seat| u32::try_from(seat.number()).unwrap_or(0)),
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
            seat: match order.seat_order {
                v1::SeatOrder::Unspecified | v1::SeatOrder::AsSeated => number,
                v1::SeatOrder::Drawn => 0,
            },
            occupancy: Some(occupancy),
            ..Default::default()
        };
        let set = platform.seat(request).await;
        let set = set.map_err(|error| call_failed(doing, &error))?;
        match sitter {
            // A server that draws no seats does not name the one it was told.
            Sitter::Person => seat_of_person = if set.seat == 0 { number } else { set.seat },
            Sitter::Bot(_) => {}
        }
    }
    let request = v1::StartTableRequest { table_id: table_id.clone() };
    platform.start_table(request).await.map_err(|error| call_failed(doing, &error))?;
    Ok(Opened { table_id, seat: seat_of_person })
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
    if let ClientError::Insecure(problem) = error {
        return secure::failed_with(doing, problem);
    }
    let (exit, next) = match error.advice() {
        Advice::Authorise => (Exit::NotAllowed, "the token that handfoot serve printed"),
        Advice::Retry => (Exit::Unavailable, "again when a server is there: handfoot serve --bots"),
        Advice::FixRequest | Advice::Decide => (Exit::Usage, "handfoot help, and other words"),
        Advice::Wait | Advice::Reread => (Exit::Unavailable, "the same again"),
        Advice::GiveUp => (Exit::Internal, "to report it, with what was printed"),
    };
    failed(exit, format!("{doing}: {error}"), next)
}
