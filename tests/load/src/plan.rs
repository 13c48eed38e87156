//! The whole measurement: what is measured, in which order, how often.
//!
//! **Invariant:** baseline and service take turns within every round, so that whatever else the
//! machine does falls on both.

use std::collections::BTreeMap;
use std::sync::Arc;

use tonic::metadata::{Ascii, MetadataValue};

use crate::cli::{RunArgs, Setting};
use crate::drive::Load;
use crate::latency::Latencies;
use crate::measure::{Measured, Trial, measure};
use crate::out::progress;
use crate::running::Running;
use crate::script::Script;
use crate::subject::{Moves, Subject, Watchers};
use crate::trouble::Trouble;

/// Different games that tables play.
const SCRIPTS: u64 = 8;

/// Tables that are played before anything is measured.
const WARM_UP_TABLES: usize = 16;

/// Tables at a given rate: more than are ever in flight.
const RATE_TABLES: usize = 128;

/// Seconds for which a rate is held.
const RATE_SECONDS: f64 = 2.0;

/// How a server is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// So many actions in flight.
    InFlight(usize),
    /// At half the rate that the same server reached with 64 in flight.
    HalfLoad,
}

/// What a measurement was of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) watchers: Watchers,
    pub(crate) kind: Kind,
    pub(crate) subject: Subject,
}

/// All measurements, round by round.
#[derive(Debug, Default)]
pub(crate) struct Results(pub(crate) BTreeMap<Key, Vec<Measured>>);

impl Results {
    /// The median of a value over the rounds; no number if there were none.
    pub(crate) fn median(&self, key: Key, value: impl Fn(&Measured) -> f64) -> f64 {
        let mut values: Vec<f64> = self.0.get(&key).into_iter().flatten().map(value).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// Microseconds within which all but one of a thousand calls of all rounds were answered; none
    /// if there were too few to say so.
    pub(crate) fn all_but_a_thousandth_us(&self, key: Key) -> Option<f64> {
        let mut all = Latencies::default();
        let rounds = self.0.get(&key).into_iter().flatten();
        rounds.for_each(|measured| all.extend(&measured.latencies));
        all.all_but_a_thousandth_us()
    }

    /// Whether a subject was measured.
    pub(crate) fn has(&self, subject: Subject) -> bool {
        self.0.keys().any(|key| key.subject == subject)
    }
}

/// Plays the games that tables will play.
///
/// # Errors
///
/// `Wrong` if they cannot be played.
pub(crate) fn scripts(setting: &Setting) -> Result<Vec<Arc<Script>>, Trouble> {
    let seeds = (0..SCRIPTS).map(|number| setting.seed.wrapping_mul(1_000).wrapping_add(number));
    seeds.map(|seed| Script::play(seed).map(Arc::new)).collect()
}

/// The games, none longer than is asked for or than the shortest: so all tables end together.
pub(crate) fn equally_long(scripts: &[Arc<Script>], setting: &Setting) -> Vec<Arc<Script>> {
    let shortest = scripts.iter().map(|script| script.acts.len()).min().unwrap_or(0);
    let wanted = usize::try_from(setting.actions).unwrap_or(usize::MAX).min(shortest);
    scripts.iter().map(|script| Arc::new(script.cut(wanted))).collect()
}

/// A token, for calls that are to look like a player's.
///
/// # Errors
///
/// What the server says.
pub(crate) async fn sample_token(setting: &Setting) -> Result<MetadataValue<Ascii>, Trouble> {
    if setting.without_credential {
        return Ok(no_token());
    }
    let mut running = Running::start(Subject::Memory, setting).await?;
    let place = running.place();
    let opened = running.seat_all(&place, setting.seed).await?;
    opened.tokens.first().cloned().ok_or_else(|| Trouble::wrong("a table has no seats"))
}

/// What stands for a token where nobody looks at it.
pub(crate) fn no_token() -> MetadataValue<Ascii> {
    MetadataValue::from_static("-")
}

/// Measures everything, round by round.
///
/// # Errors
///
/// What went wrong first.
pub(crate) async fn run(args: &RunArgs, scripts: &[Arc<Script>]) -> Result<Results, Trouble> {
    let setting = &args.setting;
    let scripts = equally_long(scripts, setting);
    let token = sample_token(setting).await?;
    let mut results = Results::default();
    for round in 1..=args.rounds {
        let mut servers = Vec::new();
        for subject in args.subjects_and_baselines() {
            let mut running = Running::start(subject, setting).await?;
            measure(&mut running, warm_up(subject, &scripts, &token)).await?;
            servers.push((subject, running));
        }
        for watchers in [Watchers::Nobody, Watchers::EverySeat] {
            let kinds = [1, 16, 64].map(Kind::InFlight).into_iter().chain([Kind::HalfLoad]);
            for kind in kinds {
                for (subject, running) in &mut servers {
                    if !subject.may_be(watchers) {
                        continue;
                    }
                    let key = Key { watchers, kind, subject: *subject };
                    let reached = results.0.get(&Key { kind: Kind::InFlight(64), ..key });
                    let reached = reached.and_then(|measured| measured.last());
                    let (n_tables, load) = load_of(kind, reached, &scripts);
                    let (scripts, token, moves) = (&scripts[..], &token, Moves::BySeat);
                    let trial = Trial { scripts, n_tables, watchers, moves, load, token };
                    let measured = measure(running, trial).await?;
                    progress(&format!(
                        "round {round} of {}: {}",
                        args.rounds,
                        line(key, &measured)
                    ));
                    results.0.entry(key).or_default().push(measured);
                }
            }
        }
    }
    Ok(results)
}

/// What is played before anything is measured.
fn warm_up<'a>(
    subject: Subject,
    scripts: &'a [Arc<Script>],
    token: &'a MetadataValue<Ascii>,
) -> Trial<'a> {
    let watchers = match subject.may_be(Watchers::EverySeat) {
        true => Watchers::EverySeat,
        false => Watchers::Nobody,
    };
    let load = Load::InFlight(WARM_UP_TABLES);
    Trial { scripts, n_tables: WARM_UP_TABLES, watchers, moves: Moves::BySeat, load, token }
}

/// How many tables are played, and how.
#[expect(clippy::cast_precision_loss, reason = "there are thousands of actions")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cut off below")]
pub(crate) fn load_of(
    kind: Kind,
    reached: Option<&Measured>,
    scripts: &[Arc<Script>],
) -> (usize, Load) {
    match kind {
        Kind::InFlight(slots) => (n_tables_of(slots), Load::InFlight(slots)),
        Kind::HalfLoad => {
            let rate = reached.map_or(1.0, |measured| measured.actions_per_s) / 2.0;
            let acts = scripts.first().map_or(0, |script| script.acts.len());
            // Tables come nearly in turn; what is left over covers how far they do not.
            let most = (RATE_TABLES * acts) as f64 * 0.8;
            let n_actions = (rate * RATE_SECONDS).min(most) as u32;
            (RATE_TABLES, Load::Rate { rate, n_actions })
        }
    }
}

/// Tables for so many in flight: the fewer there are, the longer each slot plays.
const fn n_tables_of(slots: usize) -> usize {
    match slots {
        0..=3 => 6,
        4..=31 => 3 * slots,
        _ => 2 * slots,
    }
}

/// A measurement in a line.
pub(crate) fn line(Key { watchers, kind, subject }: Key, measured: &Measured) -> String {
    let watched = match watchers {
        Watchers::Nobody => "",
        Watchers::EverySeat => ", watched",
    };
    let load = match kind {
        Kind::InFlight(slots) => format!("{slots} in flight"),
        Kind::HalfLoad => "half load".to_owned(),
    };
    format!(
        "{subject}{watched}, {load}: {:.0} actions/s, p50 {:.0} us, p99 {:.0} us, server {:.1} us, \
         Redis {:.1} us, client {:.1} us",
        measured.actions_per_s,
        measured.p50_us,
        measured.p99_us,
        measured.server_cpu_us,
        measured.redis_cpu_us,
        measured.client_cpu_us,
    )
}
