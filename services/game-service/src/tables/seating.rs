//! Who sits where: seats given by the platform, taken by bots, and their tokens.
//!
//! **Invariant:** a person has at most one seat of a table, and a seat one owner.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use handfoot_engine::Viewer;
use handfoot_protocol::v1;
use handfoot_store::{BodyHash, LeaseUse, ListFilter, RequestId, TableId, Tenant, Tenants};
use handfoot_view::Seat;
use sha2::{Digest, Sha256};

use super::commit::{Asked, Change};
use super::once::{Carried, short};
use super::{Tables, TokenFor};
use crate::error::{Answer, ApiError, FieldProblem, field};
use crate::limits::OFFERS_LOOKED_AT;
use crate::table::{
    LISTED_OFFERED, Owner, PlayerIds, SeatOrder, SeatState, Stage, Table, number_of,
};

/// Who is to have a seat.
#[derive(Clone, Debug)]
pub(crate) struct Occupancy {
    pub(crate) owner: Owner,
    /// Levels of bots that may take it while it is nobody's.
    pub(crate) bot_levels: Vec<String>,
}

impl Tables {
    /// Gives a seat to somebody, or opens it, and says which.
    pub(crate) async fn set_seat(
        &self,
        tenant: &Tenant,
        id: &TableId,
        number: u32,
        occupancy: &Occupancy,
        request_id: Option<RequestId>,
    ) -> Answer<(Arc<Table>, Seat)> {
        let table = self.owned(tenant, id).await?;
        if let (SeatOrder::Drawn, 0, Owner::Bot { level }) =
            (table.fixed.seat_order, number, &occupancy.owner)
        {
            let request_id = request_id.ok_or(field("request_id", FieldProblem::Missing))?;
            return self.seat_one_more(table, level, request_id).await;
        }
        // The decision may be made anew; the last one stands.
        let chosen = AtomicU32::new(number);
        let given = |table: &Table| {
            let seat = seat_for(table, number, &occupancy.owner)?;
            chosen.store(number_of(seat), Ordering::Relaxed);
            check_waiting(table)?;
            if matches!(occupancy.owner, Owner::Person { .. }) {
                check_not_seated(table, seat, &occupancy.owner)?;
            }
            let before = table.seat(seat).ok_or(ApiError::SeatNotFound)?;
            let Occupancy { owner, bot_levels } = occupancy.clone();
            let after = before.given_to(owner, bot_levels);
            Ok((*before != after).then(|| seated(table, seat, after)))
        };
        let table = self.step(tenant, id, given).await?;
        let seat = seat_of(&table, chosen.load(Ordering::Relaxed))?;
        Ok((table, seat))
    }

    /// Gives the next seat of a drawn order to a bot, once for each request: without an id nobody
    /// could tell one more bot from the same request again.
    async fn seat_one_more(
        &self,
        table: Arc<Table>,
        level: &str,
        request_id: RequestId,
    ) -> Answer<(Arc<Table>, Seat)> {
        let (id, viewer) = (table.fixed.id.clone(), Viewer::Spectator);
        let asked = Asked { viewer, id: request_id, body: body_of(level) };
        let owner = Owner::Bot { level: level.to_owned() };
        let decide = |table: &Table| {
            check_waiting(table)?;
            let seat = table.next_drawn().ok_or(ApiError::SeatNotFound)?;
            let before = table.seat(seat).ok_or(ApiError::SeatNotFound)?;
            let change = seated(table, seat, before.given_to(owner.clone(), Vec::new()));
            Ok(Change { request: Some(asked), ..change })
        };
        let (table, commit) =
            match self.carry_out(table, asked, LeaseUse::None, |_| Ok(()), decide).await? {
                Carried::Out { table, commit } => (table, commit),
                Carried::Before { version, answer } => {
                    let first = self.first_answer(&id, viewer, version, answer).await?;
                    (first.table, first.commit)
                }
            };
        let seat = seat_of(&table, commit.seat)?;
        Ok((table, seat))
    }

    /// Whom a token for a seat, or for a spectator, is for; older tokens can be ended first.
    pub(crate) async fn token_for(
        &self,
        tenant: &Tenant,
        id: &TableId,
        number: u32,
        older: v1::OlderTokens,
    ) -> Answer<TokenFor> {
        if number == 0 {
            let table = self.owned(tenant, id).await?;
            return Ok(TokenFor { table: table.fixed.id.clone(), seat: None, generation: 0 });
        }
        let ended = |table: &Table| {
            let seat = seat_of(table, number)?;
            let before = table.seat(seat).ok_or(ApiError::SeatNotFound)?;
            match &before.holder.owner {
                Owner::Nobody | Owner::Bot { .. } => return Err(ApiError::SeatNotPerson),
                Owner::Person { .. } => {}
            }
            Ok(match older {
                v1::OlderTokens::Unspecified | v1::OlderTokens::Keep => None,
                v1::OlderTokens::Revoke => Some(seated(table, seat, before.with_tokens_ended())),
            })
        };
        let table = self.step(tenant, id, ended).await?;
        let seat = seat_of(&table, number)?;
        let generation = table.seat(seat).map_or(0, |seat| seat.holder.token_generation);
        Ok(TokenFor { table: table.fixed.id.clone(), seat: Some(seat), generation })
    }

    /// Gives an offered seat to a bot of one of the levels, if there is one.
    pub(crate) async fn take_offered_seat(
        &self,
        tenants: &Tenants,
        levels: &[String],
    ) -> Answer<Option<(Arc<Table>, Seat, String)>> {
        let filter = ListFilter { tenants: tenants.clone(), state: Some(LISTED_OFFERED) };
        let listed = self.store().list(filter, None, OFFERS_LOOKED_AT).await?;
        for entry in listed.tables.iter().rev() {
            match self.take_seat_at(&entry.id, levels).await {
                Ok(Some(taken)) => return Ok(Some(taken)),
                // A table that is gone or cannot be read keeps no worker from the others.
                Ok(None)
                | Err(ApiError::TableNotFound | ApiError::StateCorrupt | ApiError::SchemaNewer) => {
                }
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Gives an offered seat of a table to a bot of one of the levels, if it has one.
    async fn take_seat_at(
        &self,
        id: &TableId,
        levels: &[String],
    ) -> Answer<Option<(Arc<Table>, Seat, String)>> {
        loop {
            let (table, _) = self.confirmed(id).await?;
            let Some((seat, level)) = offered(&table, levels) else { return Ok(None) };
            let taken = |table: &Table| {
                let before = table.seat(seat).filter(|_| table.stage == Stage::Waiting);
                let before = before
                    .filter(|seat| seat.is_offered() && seat.holder.bot_levels.contains(&level));
                let before = before.ok_or(ApiError::SeatNotFound)?;
                let owner = Owner::Bot { level: level.clone() };
                Ok(Some(seated(table, seat, before.given_to(owner, Vec::new()))))
            };
            match self.step(&table.fixed.tenant, id, taken).await {
                Ok(table) => return Ok(Some((table, seat, level))),
                // Another was first: there may be more seats. Each time one is gone.
                Err(ApiError::SeatNotFound) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// What a request for one more bot stands for.
fn body_of(level: &str) -> BodyHash {
    let mut hash = Sha256::new();
    hash.update(b"handfoot/1 bot");
    hash.update(level);
    short(hash)
}

/// The first seat that a bot of one of the levels may take.
fn offered(table: &Table, levels: &[String]) -> Option<(Seat, String)> {
    if table.stage != Stage::Waiting {
        return None;
    }
    let level_for = |seat: &SeatState| {
        let wanted = levels.iter().find(|level| seat.holder.bot_levels.contains(level));
        wanted.filter(|_| seat.is_offered()).cloned()
    };
    let seats = table.seats.iter().enumerate();
    seats.filter_map(|(index, seat)| Seat::from_index(index).zip(level_for(seat))).next()
}

fn seat_of(table: &Table, number: u32) -> Answer<Seat> {
    let seat = usize::try_from(number).ok().and_then(Seat::from_number);
    seat.filter(|seat| seat.index() < table.seats.len()).ok_or(ApiError::SeatNotFound)
}

/// The seat that is to be set: the one named, or where the order is drawn a newcomer's.
fn seat_for(table: &Table, number: u32, owner: &Owner) -> Answer<Seat> {
    match (table.fixed.seat_order, number) {
        (SeatOrder::AsSeated, _) => seat_of(table, number),
        (SeatOrder::Drawn, 0) => {
            let seat = seat_of_person(table, owner).or_else(|| match owner {
                Owner::Nobody => None,
                Owner::Person { .. } | Owner::Bot { .. } => table.next_drawn(),
            });
            seat.ok_or(ApiError::SeatNotFound)
        }
        (SeatOrder::Drawn, _) => {
            let seat = seat_of(table, number)?;
            let stays = match (owner, table.seat(seat).map(|state| &state.holder.owner)) {
                (Owner::Nobody, _) | (Owner::Bot { .. }, Some(Owner::Bot { .. })) => true,
                (Owner::Person { .. }, _) => seat_of_person(table, owner) == Some(seat),
                (Owner::Bot { .. }, Some(Owner::Nobody | Owner::Person { .. }) | None) => false,
            };
            // Whoever could name a seat would choose one.
            stays.then_some(seat).ok_or(field("seat", FieldProblem::Misplaced))
        }
    }
}

/// Where a person sits already.
fn seat_of_person(table: &Table, owner: &Owner) -> Option<Seat> {
    let Owner::Person { player_id, .. } = owner else { return None };
    let is_theirs = |state: &SeatState| match &state.holder.owner {
        Owner::Person { player_id: other, .. } => other == player_id,
        Owner::Nobody | Owner::Bot { .. } => false,
    };
    table.seats.iter().position(is_theirs).and_then(Seat::from_index)
}

fn check_waiting(table: &Table) -> Answer<()> {
    match table.stage {
        Stage::Waiting => Ok(()),
        Stage::Playing => Err(ApiError::TableAlreadyStarted),
        Stage::Finished | Stage::Cancelled => Err(ApiError::TableClosed),
    }
}

fn check_not_seated(table: &Table, seat: Seat, owner: &Owner) -> Answer<()> {
    let id_of = |owner: &Owner| match owner {
        Owner::Nobody | Owner::Bot { .. } => None,
        Owner::Person { player_id, .. } => Some(player_id.clone()),
    };
    let wanted = id_of(owner);
    let elsewhere = table.seats.iter().enumerate().find(|(index, other)| {
        *index != seat.index() && wanted.is_some() && id_of(&other.holder.owner) == wanted
    });
    match elsewhere.and_then(|(index, _)| Seat::from_index(index)) {
        Some(seat) => Err(ApiError::PlayerAlreadySeated { seat }),
        None => Ok(()),
    }
}

/// The step after which a seat is like this.
fn seated(table: &Table, seat: Seat, after: SeatState) -> Change {
    let player = after.to_message(number_of(seat), PlayerIds::Shown);
    let mut next = table.clone();
    if let Some(state) = next.seats.get_mut(seat.index()) {
        *state = after;
    }
    let change = Change::of_table(next, v1::CommitCause::Seat);
    Change { seat: Some(seat), players: vec![player], ..change }
}
