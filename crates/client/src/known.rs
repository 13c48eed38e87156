//! What a caller knows of a table, kept up to date by commits.
//!
//! **Invariant:** a commit is applied only if its version is the own one + 1 and each of its events
//! fits the table; whatever is refused leaves what is known as it was.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use handfoot_protocol::{Codec, DecodeError, DecodeProblem, decode_draft, v1};
use handfoot_rules::Rules;
use handfoot_view::{Event, TableView, Unfit};

use crate::error::{AnswerProblem, ClientError};

/// A table as one viewer knows it at one version.
///
/// # Visibility
///
/// The viewer. `Debug` shows no card.
#[derive(Clone, PartialEq)]
pub struct Known {
    /// The table's id.
    pub table_id: String,
    /// Which state of the table this is.
    pub stamp: v1::Stamp,
    /// The game, folded.
    pub view: TableView,
    /// The table's rules.
    pub rules: Arc<Rules>,
    /// Who owns and who plays each seat, by number.
    pub players: Vec<v1::SeatPlayer>,
    /// What the table's owner chose beside the rules.
    pub options: v1::TableOptions,
    /// Where the shuffles come from.
    pub seed_origin: v1::SeedOrigin,
    /// The server's time when the view was made that this began with.
    pub server_time: Option<SystemTime>,
}

impl std::fmt::Debug for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Known")
            .field("table_id", &self.table_id)
            .field("version", &self.stamp.version)
            .field("seat", &self.view.seat)
            .finish_non_exhaustive()
    }
}

/// Why a commit was not applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotNext {
    /// It is not the next one.
    Gap {
        /// The version that is known.
        own: u64,
        /// The commit's.
        version: u64,
    },
    /// It cannot be read: perhaps it is of a later contract.
    Unreadable(DecodeError),
    /// It can be read and does not fit what is known: one of the two is wrong.
    Unfit {
        /// Which of its events, from 0.
        index: usize,
        /// Why.
        unfit: Unfit,
    },
}

impl Known {
    /// Reads a view.
    ///
    /// # Errors
    ///
    /// [`ClientError::Answer`].
    pub fn decode(view: &v1::View, rules: Arc<Rules>) -> Result<Known, ClientError> {
        let decoded = Codec::new(&rules).decode_view(view)?;
        let stamp = view.stamp.clone().ok_or_else(|| ClientError::missing("view.stamp"))?;
        Ok(Known {
            table_id: view.table_id.clone(),
            stamp,
            view: decoded,
            rules,
            players: view.players.clone(),
            options: view.options.unwrap_or_default(),
            seed_origin: view.seed_origin(),
            server_time: view.server_time.and_then(|time| SystemTime::try_from(time).ok()),
        })
    }

    /// Applies the next commit, and gives what happened in it.
    ///
    /// # Errors
    ///
    /// [`NotNext`]; nothing has changed then.
    pub fn follow(&mut self, commit: &v1::Commit) -> Result<Vec<Event>, NotNext> {
        let missing = || DecodeError { field: "stamp".to_owned(), problem: DecodeProblem::Missing };
        let stamp = commit.stamp.as_ref().ok_or_else(|| NotNext::Unreadable(missing()))?;
        if Some(stamp.version) != self.stamp.version.checked_add(1) {
            return Err(NotNext::Gap { own: self.stamp.version, version: stamp.version });
        }
        let events = Codec::new(&self.rules).decode_events(&commit.events);
        let events = events.map_err(NotNext::Unreadable)?;
        let mut view = self.view.clone();
        for (index, event) in events.iter().enumerate() {
            view.fits(event, &self.rules).map_err(|unfit| NotNext::Unfit { index, unfit })?;
            view.apply(event, &self.rules);
        }
        self.view = view;
        for player in &commit.players {
            let known = self.players.iter_mut().find(|known| known.seat == player.seat);
            match known {
                Some(known) => known.clone_from(player),
                None => self.players.push(player.clone()),
            }
        }
        self.stamp.clone_from(stamp);
        Ok(events)
    }

    /// Whether the viewer's seat may act.
    #[must_use]
    pub fn is_to_act(&self) -> bool {
        self.view.seat.is_some() && self.view.table.to_act() == self.view.seat
    }

    /// How long after the view's time a server's time is; none if one of them is not known.
    pub(crate) fn until(&self, time: Option<SystemTime>) -> Option<Duration> {
        time?.duration_since(self.server_time?).ok()
    }
}

/// Reads the rules that came with an answer.
pub(crate) fn read_rules(draft: Option<&v1::RulesDraft>) -> Result<Arc<Rules>, ClientError> {
    let draft = decode_draft(draft.ok_or_else(|| ClientError::missing("rules"))?)?;
    match Rules::new(draft) {
        Ok(validated) => Ok(Arc::new(validated.rules)),
        Err(problems) => {
            Err(ClientError::Answer(AnswerProblem::Rules { problems: problems.len() }))
        }
    }
}
