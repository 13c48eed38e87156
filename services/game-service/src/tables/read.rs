//! Reading: the table as a caller may know it, as it stands in the store.
//!
//! **Invariant:** views come from the engine by viewer; what is added to them is public.

use std::sync::Arc;

use handfoot_engine::Viewer;
use handfoot_protocol::{Codec, v1};
use handfoot_store::{LeaseUse, Millis};
use handfoot_view::{Menu, list};

use super::Tables;
use super::commit::Probe;
use super::play::admit;
use crate::caller::SeatCaller;
use crate::error::{Answer, ApiError};
use crate::table::{PlayerIds, RULES_REVISION, Table, number_of, timestamp};

/// A table at one version, as one caller reads it.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub(crate) table: Arc<Table>,
    /// The store's time.
    pub(crate) now: Millis,
    pub(crate) viewer: Viewer,
}

impl Tables {
    /// Reads a started table.
    pub(crate) async fn read(&self, caller: &SeatCaller) -> Answer<Reading> {
        let (table, now) = match caller.lease_use() {
            LeaseUse::None => self.confirmed(&caller.table).await?,
            lease @ LeaseUse::Held { .. } => {
                let known = self.inner.cache.get(&caller.table);
                match self.probe(&caller.table, None, lease).await? {
                    Probe::Stands(loaded) => {
                        (self.adopt(&caller.table, &loaded, known.as_ref())?, loaded.now)
                    }
                    Probe::Answered { .. } => return Err(ApiError::Internal),
                }
            }
        };
        admit(&table, caller)?;
        match table.game {
            Some(_) => Ok(Reading { table, now, viewer: caller.viewer() }),
            None if table.stage.is_closed() => Err(ApiError::TableClosed),
            None => Err(ApiError::TableNotStarted),
        }
    }
}

impl Reading {
    /// The view.
    pub(crate) fn view(&self) -> Answer<v1::View> {
        let table = &self.table;
        let game = table.game.as_ref().ok_or(ApiError::TableNotStarted)?;
        let view = Codec::new(table.rules()).encode_view(&game.table_view(self.viewer));
        Ok(v1::View {
            stamp: Some(table.stamp()),
            table_id: table.fixed.id.as_str().to_owned(),
            server_time: Some(timestamp(self.now)),
            options: Some(table.fixed.options_message()),
            seed_origin: table.fixed.seed_origin as i32,
            players: self.players(),
            ..view
        })
    }

    fn players(&self) -> Vec<v1::SeatPlayer> {
        let own = match self.viewer {
            Viewer::Seat(seat) => number_of(seat),
            Viewer::Spectator => 0,
        };
        let player = |(number, seat): (u32, &crate::table::SeatState)| {
            let ids = if number == own { PlayerIds::Shown } else { PlayerIds::Hidden };
            seat.to_message(number, ids)
        };
        self.table.numbered_seats().map(player).collect()
    }

    /// What the reading seat may do.
    pub(crate) fn legal(&self) -> Answer<v1::LegalActions> {
        let Viewer::Seat(seat) = self.viewer else { return Err(ApiError::NotSeated) };
        let game = self.table.game.as_ref().ok_or(ApiError::TableNotStarted)?;
        let view = game.view(seat);
        let mut actions = Vec::new();
        list(view.as_ref(), &mut actions);
        let menu = Menu::of(view.as_ref());
        let version = self.table.mark.version.0;
        Ok(Codec::new(self.table.rules()).encode_legal(version, &menu, &actions))
    }

    /// The table's rules.
    pub(crate) fn rules(&self) -> v1::RulesDraft {
        self.table.fixed.rules_message.clone()
    }
}

impl Table {
    /// The score sheet of the rounds that were finished, and where the table stands.
    pub(crate) fn score_sheet(&self) -> Answer<(v1::ScoreSheet, v1::TableState)> {
        let game = self.game.as_ref().ok_or(ApiError::TableNotStarted)?;
        let sheet = Codec::new(self.rules()).encode_sheet(&game.score_sheet());
        Ok((sheet, self.stage.to_message()))
    }

    /// The table as its platform sees it.
    pub(crate) fn to_message(&self) -> v1::Table {
        let public = self.game.as_ref().map(handfoot_engine::Game::public);
        let totals = public.map(|table| table.teams.iter().map(|team| team.total).collect());
        let rounds = self.game.as_ref().map_or(0, |game| game.history().len());
        let seats =
            self.numbered_seats().map(|(number, seat)| seat.to_message(number, PlayerIds::Shown));
        v1::Table {
            table_id: self.fixed.id.as_str().to_owned(),
            display_name: self.fixed.display_name.clone(),
            state: self.stage.to_message() as i32,
            preset_id: self.fixed.preset_id.clone(),
            rules: Some(self.fixed.rules_message.clone()),
            rules_revision: RULES_REVISION,
            options: Some(self.fixed.options_message()),
            seats: seats.collect(),
            version: self.mark.version.0,
            create_time: Some(timestamp(self.created_at)),
            start_time: self.started_at.map(timestamp),
            end_time: self.ended_at.map(timestamp),
            totals: totals.unwrap_or_default(),
            rounds_scored: u32::try_from(rounds).unwrap_or(u32::MAX),
            seed_origin: self.fixed.seed_origin as i32,
        }
    }
}
