//! One task: the decisions that a seat owes under one lease.
//!
//! **Invariant:** every request rests on a view that the server has sent and says at which version.
//! Whatever the server answers, a task makes a bounded number of requests without getting on.

use std::time::Duration;

use handfoot_bots::{BotSeed, Level};
use handfoot_client::{BotTask, ClientError, Decision, Known, PlayClient, Played, Submitted};
use handfoot_protocol::v1::{ReleaseCause, ServiceReason};
use handfoot_protocol::{Advice, Reason};
use handfoot_view::Action;
use tokio::time::{Instant, sleep_until};
use tracing::field::Empty;
use tracing::{Instrument, Span, warn};

use crate::backoff::{Backoff, rest};
use crate::counters::count;
use crate::decide::{Choice, Origin, Question, Trust, decide};
use crate::request_id::request_id;
use crate::turns::release;
use crate::work::Shared;

/// Requests of one decision that did not get the table on, at most.
const TROUBLES_MAX: u32 = 5;

/// How long a place rests after a task that was given up, so that the same task, offered again,
/// does not burn time.
pub(crate) const FAILED_PAUSE: Duration = Duration::from_secs(1);

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The seat owes nothing more.
    Done,
    /// The worker is about to end.
    Draining,
    /// The decision may be somebody else's by now.
    LeaseLost,
    /// It did not get on.
    Failed,
}

/// What an answer means for the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// The rules, or the request, are at fault: another action.
    Refused,
    /// The table has changed: read and decide again.
    Stale,
    /// The same request again.
    Again,
    /// It ends.
    End(End),
}

/// A task under way.
struct Turn<'a> {
    shared: &'a Shared,
    client: PlayClient,
    known: Known,
    /// The server's list, and the version for which it holds.
    listed: Option<(u64, Vec<Action>)>,
    level: Level,
    seed: BotSeed,
    pace: Duration,
    trust: Trust,
    troubles: u32,
    backoff: Backoff,
}

/// Plays a task and gives its lease back.
pub(crate) async fn play(shared: &Shared, task: BotTask) {
    let open = shared.metrics.task();
    let span = span(&task);
    let end = played(shared, task).instrument(span).await;
    drop(open);
    if end == End::Failed {
        rest(FAILED_PAUSE, &shared.drain).await;
    }
}

/// The span of a task: part of the trace in which it became due, or of one of its own.
fn span(task: &BotTask) -> Span {
    let span = tracing::debug_span!(
        "bot turn",
        otel.kind = "consumer",
        handfoot.table_id = task.known.table_id,
        handfoot.level = Empty,
    );
    if !span.is_disabled() {
        // What a server says of a level is no word of ours until it is known.
        if let Ok(level) = task.level.parse::<Level>() {
            span.record("handfoot.level", level.name());
        }
        if let Some(origin) = task.trace.clone() {
            origin.place(&span);
        }
    }
    span
}

async fn played(shared: &Shared, task: BotTask) -> End {
    let lease_id = task.lease.id.clone();
    let end = match task.level.parse() {
        Ok(level) => Turn::new(shared, task, level).play().await,
        Err(_) => {
            warn!("a task asks for a level that was not offered");
            End::Failed
        }
    };
    let cause = match end {
        End::Done => ReleaseCause::Done,
        End::Draining => {
            count(&shared.counters.given_back);
            ReleaseCause::Draining
        }
        End::Failed => {
            count(&shared.counters.failed);
            ReleaseCause::Failed
        }
        // There is nothing to give back.
        End::LeaseLost => {
            count(&shared.counters.lease_lost);
            return end;
        }
    };
    release(shared, &lease_id, cause).await;
    end
}

impl<'a> Turn<'a> {
    fn new(shared: &'a Shared, task: BotTask, level: Level) -> Turn<'a> {
        Turn {
            client: shared.client.player(&task),
            pace: task.pace.min(pace_max(task.lease.holds.unwrap_or(shared.work.lease))),
            listed: Some((task.legal.version, task.legal.actions)),
            known: task.known,
            seed: BotSeed::from_bytes(task.secret.0),
            level,
            shared,
            trust: Trust::Bot,
            troubles: 0,
            backoff: Backoff::default(),
        }
    }

    async fn play(mut self) -> End {
        while self.known.is_to_act() {
            if self.shared.drain.is_cancelled() {
                return End::Draining;
            }
            if self.troubles >= TROUBLES_MAX {
                return End::Failed;
            }
            if let Err(end) = self.decide().await {
                return end;
            }
        }
        End::Done
    }

    /// Makes and plays one decision.
    async fn decide(&mut self) -> Result<(), End> {
        let taken_up = Instant::now();
        let Some(choice) = self.choose() else {
            // A seat that may act has an action: what is known must be wrong.
            self.troubles += 1;
            return self.read().await;
        };
        if !self.pace.is_zero() {
            // From the beginning on, so that nobody learns how long the bot has thought.
            tokio::select! {
                () = sleep_until(taken_up + self.pace) => {}
                () = self.shared.drain.cancelled() => return Err(End::Draining),
            }
        }
        let Choice { action, origin } = choice;
        let version = self.known.stamp.version;
        let decision = Decision::with_id(request_id(&self.known), version, vec![action]);
        self.send(&decision, origin).await
    }

    fn choose(&self) -> Option<Choice> {
        let view = self.known.view.lend(&self.known.rules)?;
        let version = self.known.stamp.version;
        let listed = self.listed.as_ref().filter(|(of, _)| *of == version);
        let question = Question {
            view,
            level: self.level,
            seed: &self.seed,
            budget: self.shared.work.budget,
            trust: self.trust,
            listed: listed.map(|(_, actions)| actions.as_slice()),
        };
        let span = tracing::debug_span!("bot decision", handfoot.level = self.level.name());
        let timer = self.shared.metrics.thinking(self.level);
        let begun = std::time::Instant::now();
        let choice = span.in_scope(|| decide(&*self.shared.thinker, question));
        if let Some(timer) = timer {
            timer.observe(begun.elapsed().as_secs_f64());
        }
        choice
    }

    /// Sends a decision until it is answered.
    async fn send(&mut self, decision: &Decision, origin: Origin) -> Result<(), End> {
        let counters = &self.shared.counters;
        loop {
            let error = match self.client.submit(decision).await {
                Ok(submitted) => return self.advance(submitted, origin).await,
                Err(error) => error,
            };
            self.troubles += 1;
            match verdict(&error) {
                Verdict::End(end) => {
                    if end == End::Failed {
                        warn!(error = error.label(), "a decision failed");
                    }
                    return Err(end);
                }
                Verdict::Refused => {
                    count(&counters.refused);
                    warn!(error = error.label(), level = self.level.name(), "refused");
                    self.trust = Trust::List;
                    return self.read().await;
                }
                Verdict::Stale => {
                    count(&counters.stale);
                    return self.read().await;
                }
                Verdict::Again if self.troubles >= TROUBLES_MAX => return Err(End::Failed),
                // The decision is under way or lost: only the same one may be sent.
                Verdict::Again => rest(self.backoff.next(), &self.shared.drain).await,
            }
        }
    }

    /// Goes on from an accepted decision.
    async fn advance(&mut self, submitted: Submitted, origin: Origin) -> Result<(), End> {
        let counters = &self.shared.counters;
        count(&counters.decisions);
        if submitted.played == Played::Before {
            count(&counters.replayed);
        }
        match origin {
            Origin::Bot => {}
            Origin::Fallback(cause) => {
                count(&counters.fallbacks);
                warn!(cause = cause.label(), level = self.level.name(), "fallback");
            }
        }
        self.troubles = 0;
        self.trust = Trust::Bot;
        self.backoff.reset();
        let followed = submitted.commit.map(|commit| self.known.follow(&commit));
        match followed {
            Some(Ok(_)) => {
                self.listed = submitted.legal.map(|legal| (legal.version, legal.actions));
                Ok(())
            }
            // Something else happened in between, or what happened cannot be read.
            Some(Err(_)) | None => self.read().await,
        }
    }

    /// Reads the table again.
    async fn read(&mut self) -> Result<(), End> {
        self.listed = None;
        loop {
            let error = match self.client.view().await {
                Ok(known) => {
                    self.known = known;
                    return Ok(());
                }
                Err(error) => error,
            };
            self.troubles += 1;
            match verdict(&error) {
                Verdict::End(end) => return Err(end),
                Verdict::Refused | Verdict::Stale => return Err(End::Failed),
                Verdict::Again if self.troubles >= TROUBLES_MAX => return Err(End::Failed),
                Verdict::Again => rest(self.backoff.next(), &self.shared.drain).await,
            }
        }
    }
}

/// The longest pause under a lease: what is left of it is for sending.
fn pace_max(lease: Duration) -> Duration {
    lease.saturating_sub(Duration::from_secs(1)).max(lease / 2)
}

fn verdict(error: &ClientError) -> Verdict {
    match error.reason() {
        Some(Reason::Rule(_)) => Verdict::Refused,
        Some(Reason::Service(reason)) => verdict_of_service(reason),
        None => verdict_of(error.advice()),
    }
}

fn verdict_of_service(reason: ServiceReason) -> Verdict {
    let lease_is_gone = matches!(
        reason,
        ServiceReason::LeaseLost
            | ServiceReason::LeaseNotFound
            | ServiceReason::CredentialExpired
            | ServiceReason::CredentialInvalid
    );
    // Another worker has made this decision otherwise.
    let is_decided = reason == ServiceReason::RequestIdReused;
    let is_over = matches!(reason, ServiceReason::TableClosed | ServiceReason::TableNotFound);
    match (lease_is_gone, is_decided, is_over) {
        (true, _, _) => Verdict::End(End::LeaseLost),
        (false, true, _) => Verdict::Stale,
        (false, false, true) => Verdict::End(End::Done),
        (false, false, false) => verdict_of(Reason::Service(reason).advice()),
    }
}

const fn verdict_of(advice: Advice) -> Verdict {
    match advice {
        Advice::FixRequest | Advice::Decide => Verdict::Refused,
        Advice::Reread => Verdict::Stale,
        Advice::Retry => Verdict::Again,
        Advice::Wait => Verdict::End(End::Done),
        Advice::Authorise | Advice::GiveUp => Verdict::End(End::Failed),
    }
}
