//! Calls about one table.
//!
//! **Invariant:** watchers of this process are told of a change when its script is answered, those
//! of others by the script itself, or, where replicas must have it first, after they do.

use std::fmt::Write;

use bytes::Bytes;

use super::Inner;
use super::address::Durability;
use super::committer::Publication;
use super::keys::Keys;
use super::link::{Again, Lasting};
use super::reply::{Parts, entry, list};
use super::scripts::{COMMIT, CREATE, Call, DELETE, HISTORY, LOOK};
use super::seal::Place;
use crate::limits::HISTORY_PAGE_MAX;
use crate::{
    Chain, Commit, CommitOutcome, Confirmed, CreateOutcome, DamagedPart, DeadlineChange, Deleted,
    History, LeaseUse, ListingChange, Loaded, LogEntry, Mark, Millis, NewTable, Request,
    StoreError, TableId, Trim, TurnWanted, TurnsChange, Version,
};

/// What says that something goes; nothing says that it stays.
const NONE: &str = "-";

impl Inner {
    pub(super) async fn create(&self, new: NewTable) -> Result<CreateOutcome, StoreError> {
        let table = &new.id;
        self.check_room(table).await?;
        let keys = Keys::of_table(self.link.prefix(), table);
        let first = Mark { version: Version(0), chain: new.chain };
        let answer = Place::Creation(table).seal(&new.request.answer);
        let deadline = new.deadline.map_or(String::new(), |at| at.0.to_string());
        let turns = by_seat(&new.turns);
        let mut call = Call::new(&CREATE, &keys.all(table))
            .arg(table.as_str())
            .arg(new.tenant.as_str())
            .arg(format!("{:03}", new.state.0))
            .arg(&new.summary[..])
            .arg(Place::Snapshot(table, first).seal(&new.snapshot))
            .arg(&new.chain.0[..])
            .arg(self.time.told())
            .arg(&new.request.id.0[..])
            .arg(&new.request.body.0[..])
            .arg(answer)
            .arg(deadline)
            .arg(turns_text(&turns))
            .arg(self.limits.outbox_entries)
            .arg(self.said_by_script(|| keys.work()));
        for body in &new.outbox {
            call = call.arg(Place::Outbox(table, Version(0)).seal(body));
        }
        let answered = self.link.call(keys.partition, call, Again::Safe, Lasting::AsPromised).await;
        let answered = answered.map_err(|fault| fault.of_table(table, DamagedPart::Snapshot))?;
        let outcome = read_creation(answered.value, &new).ok_or_else(|| damaged(table))?;
        if matches!(outcome, CreateOutcome::Created { .. }) {
            self.count.one_more();
            for turn in &turns {
                self.board.may_be_due(keys.partition, turn.takeable_at);
            }
            self.publish(&keys, || (keys.work(), Vec::new()));
        }
        Ok(outcome)
    }

    /// Says whether a table stands at a mark, and gives it if not.
    pub(super) async fn look(
        &self,
        table: &TableId,
        mark: Option<Mark>,
    ) -> Result<Confirmed, StoreError> {
        let keys = Keys::of_table(self.link.prefix(), table);
        let call = Call::new(&LOOK, &[keys.state(table)]);
        let call = match mark {
            Some(mark) => call.arg(mark.version.0).arg(&mark.chain.0[..]),
            None => call.arg("").arg(""),
        };
        let call = call.arg(self.time.told());
        let answered = self.link.call(keys.partition, call, Again::Safe, Lasting::AsPromised).await;
        let answered = answered.map_err(|fault| fault.of_table(table, DamagedPart::Snapshot))?;
        let mut parts = Parts::of(answered.value).ok_or_else(|| damaged(table))?;
        let confirmed = match parts.number() {
            Some(0) => parts.millis().map(|now| Confirmed::Unchanged { now }),
            Some(1) => read_loaded(table, &mut parts).map(Confirmed::Changed),
            Some(2) => Some(Confirmed::NotFound),
            Some(_) | None => None,
        };
        confirmed.ok_or_else(|| damaged(table))
    }

    /// Gives a table as it lately stood. No script, and no wait for replicas: whoever goes on from
    /// here learns from his commit whether it stands.
    pub(super) async fn glance(&self, table: &TableId) -> Result<Option<Loaded>, StoreError> {
        let keys = Keys::of_table(self.link.prefix(), table);
        let mut command = redis::cmd("HMGET");
        command.arg(keys.state(table)).arg(&["v", "c", "a", "S"]);
        let answered = self.link.read(keys.partition, command).await;
        let value = answered.map_err(|fault| fault.of_table(table, DamagedPart::Snapshot))?;
        let fields = list(value).ok_or_else(|| damaged(table))?;
        if fields.iter().all(|field| *field == redis::Value::Nil) {
            return Ok(None);
        }
        read_glanced(table, &mut Parts::of_list(fields)).map(Some).ok_or_else(|| damaged(table))
    }

    pub(super) async fn commit(&self, commit: Commit) -> Result<CommitOutcome, StoreError> {
        let table = &commit.table;
        let keys = Keys::of_table(self.link.prefix(), table);
        let mark = Mark { version: commit.expected.version.next(), chain: commit.new_chain };
        let call = self.commit_call(&keys, &commit, mark);
        let answered = self.link.call(keys.partition, call, Again::Safe, Lasting::AsPromised).await;
        let answered = answered.map_err(|fault| fault.of_table(table, DamagedPart::Snapshot))?;
        let mut parts = Parts::of(answered.value).ok_or_else(|| damaged(table))?;
        let outcome = match parts.number() {
            Some(0) => {
                let at = parts.millis().ok_or_else(|| damaged(table))?;
                self.settle(&keys, &commit, &entry_of(&commit, mark, at), parts.number());
                CommitOutcome::Committed { version: mark.version, at }
            }
            Some(1) => {
                let what = DamagedPart::Request;
                let gone = || StoreError::Corrupt { table: table.clone(), what };
                let duplicate = read_duplicate(&commit, &mut parts).ok_or_else(gone)?;
                if answered.was_sent_before {
                    self.settle_late(&keys, &commit, mark).await;
                }
                duplicate
            }
            Some(2) => {
                let version = parts.number().map(Version).ok_or_else(|| damaged(table))?;
                CommitOutcome::Reused { version }
            }
            Some(3) => CommitOutcome::LeaseLost,
            Some(4) => {
                let loaded = read_loaded(table, &mut parts).ok_or_else(|| damaged(table))?;
                // Sent twice without a request id: what is in the way is this very commit.
                if answered.was_sent_before && loaded.mark == mark {
                    let (version, at) = (mark.version, loaded.at);
                    let entry = entry_of(&commit, mark, at);
                    self.settle(&keys, &commit, &entry, earliest_of(&commit));
                    return Ok(CommitOutcome::Committed { version, at });
                }
                CommitOutcome::Conflict(loaded)
            }
            Some(5) => CommitOutcome::NotFound,
            Some(_) | None => {
                let what = part_of(parts.text().as_deref());
                return Err(StoreError::Corrupt { table: table.clone(), what });
            }
        };
        Ok(outcome)
    }

    fn commit_call(&self, keys: &Keys, commit: &Commit, mark: Mark) -> Call {
        let table = &commit.table;
        let answer = commit.request.as_ref().map_or(0, |request| request.answer.len());
        let bytes = commit.snapshot.len() + commit.entry.len() + answer;
        let call = Call::with_room(&COMMIT, &keys.first(keys_needed(commit), table), bytes)
            .arg(table.as_str())
            .arg(commit.expected.version.0)
            .arg(&commit.expected.chain.0[..])
            .arg(mark.version.0)
            .arg(&mark.chain.0[..])
            .arg(Place::Snapshot(table, mark).seal(&commit.snapshot))
            .arg(Place::Entry(table, mark.version, mark.chain).seal(&commit.entry))
            .arg(oldest_kept(commit.trim, mark.version, self.limits.log_entries))
            .arg(self.time.told())
            .arg(self.said_by_script(|| keys.news(table)))
            .arg(self.said_by_script(|| keys.work()));
        let mut changes = self.changes_of(commit, mark.version);
        // What says nothing is left out where nothing follows.
        while changes.last().is_some_and(Vec::is_empty) {
            changes.pop();
        }
        changes.into_iter().fold(call, Call::arg)
    }

    /// The arguments of a commit that may say nothing, as the script reads them.
    fn changes_of(&self, commit: &Commit, version: Version) -> Vec<Vec<u8>> {
        let table = &commit.table;
        let (name, remembered) = match &commit.request {
            None => (Vec::new(), Vec::new()),
            Some(request) => (name_of(request), remembered_of(table, request, version)),
        };
        let turns = match &commit.turns {
            TurnsChange::Keep => String::new(),
            TurnsChange::Replace(turns) if turns.is_empty() => NONE.to_owned(),
            TurnsChange::Replace(turns) => turns_text(&by_seat(turns)),
        };
        let lease = match &commit.lease {
            LeaseUse::None => String::new(),
            // A lease of another table is held nowhere: no token is 0.
            LeaseUse::Held { lease, .. } if lease.table != *table => "0 0 0".to_owned(),
            LeaseUse::Held { lease, length } => {
                format!("{} {} {}", lease.seat, lease.token.0, millis(*length))
            }
        };
        let deadline = match commit.deadline {
            DeadlineChange::Keep => String::new(),
            DeadlineChange::Clear => NONE.to_owned(),
            DeadlineChange::Set(at) => at.0.to_string(),
        };
        let (state, summary) = match &commit.listing {
            ListingChange::Keep => (String::new(), Vec::new()),
            ListingChange::Set { state, summary } => (format!("{:03}", state.0), summary.to_vec()),
        };
        let n_said = match commit.outbox.is_empty() {
            true => String::new(),
            false => self.limits.outbox_entries.to_string(),
        };
        let texts = [turns, lease, deadline, state].map(String::into_bytes);
        let mut changes = vec![name, remembered];
        changes.extend(texts);
        changes.extend([summary, n_said.into_bytes()]);
        changes.extend(commit.outbox.iter().map(|body| Place::Outbox(table, version).seal(body)));
        changes
    }

    /// Tells whoever waits for a commit that stands.
    fn settle(&self, keys: &Keys, commit: &Commit, entry: &LogEntry, earliest: Option<u64>) {
        let table = &commit.table;
        let LogEntry { version, chain, at, .. } = *entry;
        self.bells.tell(table, version, Some(entry));
        if let Some(at) = earliest {
            self.board.may_be_due(keys.partition, Millis(at));
        }
        self.publish(keys, || {
            let sealed = Place::Entry(table, version, chain).seal(&entry.entry);
            let mut message = chain.0.to_vec();
            message.extend(format!("{version} {} ", at.0).into_bytes());
            message.extend(sealed);
            (keys.news(table), message)
        });
        if earliest.is_some() || matches!(commit.listing, ListingChange::Set { .. }) {
            let message = earliest.map_or(Vec::new(), |at| at.to_string().into_bytes());
            self.publish(keys, || (keys.work(), message));
        }
    }

    /// The same for a commit that stands since an earlier try, whose answer was lost.
    async fn settle_late(&self, keys: &Keys, commit: &Commit, mark: Mark) {
        let Ok(History::Entries(entries)) = self.history(&commit.table, mark.version, 1).await
        else {
            return;
        };
        let own = entries.into_iter().next().filter(|entry| entry.chain == mark.chain);
        if let Some(entry) = own {
            self.settle(keys, commit, &entry, earliest_of(commit));
        }
    }

    /// A channel, where a script may say at once what it did.
    fn said_by_script(&self, channel: impl FnOnce() -> String) -> String {
        match self.link.durability() {
            Durability::Local => channel(),
            Durability::Replicated | Durability::Strict => String::new(),
        }
    }

    /// Says what replicas have, where no script might. What is lost here the next look finds.
    fn publish(&self, keys: &Keys, said: impl FnOnce() -> (String, Vec<u8>)) {
        match self.link.durability() {
            Durability::Local => {}
            Durability::Replicated | Durability::Strict => {
                let (channel, message) = said();
                let command = Publication { channel, message }.command();
                let (link, partition) = (self.link.clone(), keys.partition);
                tokio::spawn(async move { link.read(partition, command).await });
            }
        }
    }

    pub(super) async fn history(
        &self,
        table: &TableId,
        from: Version,
        limit: usize,
    ) -> Result<History, StoreError> {
        let keys = Keys::of_table(self.link.prefix(), table);
        let call = Call::new(&HISTORY, &[keys.state(table), keys.log(table)]);
        let call = call.arg(from.0).arg(limit.min(HISTORY_PAGE_MAX));
        let answered = self.link.call(keys.partition, call, Again::Safe, Lasting::AsPromised).await;
        let answered = answered.map_err(|fault| fault.of_table(table, DamagedPart::LogEntry))?;
        let corrupt = |what| StoreError::Corrupt { table: table.clone(), what };
        let mut parts = Parts::of(answered.value).ok_or_else(|| damaged(table))?;
        let Some(newest) = parts.value() else { return Ok(History::NotFound) };
        let newest = super::reply::number(newest).ok_or_else(|| damaged(table))?;
        let oldest = parts.number().ok_or_else(|| damaged(table))?;
        let from = from.0.max(1);
        if from < oldest {
            return Ok(History::Gone { oldest: Version(oldest) });
        }
        let found = parts.value().and_then(list).unwrap_or_default();
        let mut entries = Vec::with_capacity(found.len());
        for (value, version) in found.into_iter().zip(from..) {
            let (number, mut fields) =
                entry(value).ok_or_else(|| corrupt(DamagedPart::LogEntry))?;
            if number != version {
                return Err(corrupt(DamagedPart::LogGap));
            }
            let read = read_entry(table, Version(version), &mut fields);
            entries.push(read.ok_or_else(|| corrupt(DamagedPart::LogEntry))?);
        }
        let n_newer = newest.saturating_add(1).saturating_sub(from);
        let n_wanted = n_newer.min(u64::try_from(limit).unwrap_or(u64::MAX));
        match entries.len() as u64 == n_wanted {
            true => Ok(History::Entries(entries)),
            false => Err(corrupt(DamagedPart::LogGap)),
        }
    }

    pub(super) async fn delete(&self, table: &TableId) -> Result<Deleted, StoreError> {
        let deleted = self.delete_if(table, None).await?;
        self.bells.end(table);
        Ok(deleted)
    }

    /// Deletes a table; where a version and a time are given, only if it stands there and its last
    /// commit was before.
    pub(super) async fn delete_if(
        &self,
        table: &TableId,
        idle: Option<(Version, Millis)>,
    ) -> Result<Deleted, StoreError> {
        let keys = Keys::of_table(self.link.prefix(), table);
        let call = Call::new(&DELETE, &keys.all(table)).arg(table.as_str());
        let call = match idle {
            Some((version, before)) => call.arg(version.0).arg(before.0),
            None => call.arg("").arg(""),
        };
        let call = call.arg(self.said_by_script(|| keys.news(table)));
        let answered = self.link.call(keys.partition, call, Again::Safe, Lasting::AsPromised).await;
        let answered = answered.map_err(|fault| fault.of_table(table, DamagedPart::Snapshot))?;
        let was_there = super::reply::number(answered.value) == Some(1);
        // What was deleted by a try that was not answered is gone all the same.
        match was_there || (answered.was_sent_before && idle.is_none()) {
            true => {
                self.count.one_less();
                self.publish(&keys, || (keys.news(table), Vec::new()));
                Ok(Deleted::Gone)
            }
            false => Ok(Deleted::NotFound),
        }
    }
}

fn damaged(table: &TableId) -> StoreError {
    StoreError::Corrupt { table: table.clone(), what: DamagedPart::Snapshot }
}

fn entry_of(commit: &Commit, mark: Mark, at: Millis) -> LogEntry {
    LogEntry { version: mark.version, chain: mark.chain, at, entry: commit.entry.clone() }
}

/// When the first turn that a commit owes can be taken; too early is harmless.
fn earliest_of(commit: &Commit) -> Option<u64> {
    match &commit.turns {
        TurnsChange::Keep => None,
        TurnsChange::Replace(turns) => turns.iter().map(|turn| turn.takeable_at.0).min(),
    }
}

/// What a script says is damaged.
fn part_of(name: Option<&str>) -> DamagedPart {
    match name {
        Some("request") => DamagedPart::Request,
        Some("log") => DamagedPart::LogEntry,
        Some("gap") => DamagedPart::LogGap,
        Some(_) | None => DamagedPart::Snapshot,
    }
}

fn read_creation(value: redis::Value, new: &NewTable) -> Option<CreateOutcome> {
    let mut parts = Parts::of(value)?;
    if parts.number()? == 0 {
        return Some(CreateOutcome::Created { at: parts.millis()? });
    }
    let (id, body) = (parts.sixteen()?, parts.sixteen()?);
    let answer = Place::Creation(&new.id).open(parts.bytes()?)?;
    Some(match (id == new.request.id.0, body == new.request.body.0) {
        (true, true) => CreateOutcome::Duplicate { answer },
        (true, false) => CreateOutcome::Reused,
        (false, _) => CreateOutcome::Exists,
    })
}

fn read_loaded(table: &TableId, parts: &mut Parts) -> Option<Loaded> {
    let (mark, at, now) = (parts.mark()?, parts.millis()?, parts.millis()?);
    let snapshot = Place::Snapshot(table, mark).open(parts.bytes()?)?;
    Some(Loaded { mark, at, now, snapshot })
}

fn read_glanced(table: &TableId, fields: &mut Parts) -> Option<Loaded> {
    let (mark, at) = (fields.mark()?, fields.millis()?);
    let snapshot = Place::Snapshot(table, mark).open(fields.bytes()?)?;
    Some(Loaded { mark, at, now: at, snapshot })
}

fn read_duplicate(commit: &Commit, parts: &mut Parts) -> Option<CommitOutcome> {
    let version = Version(parts.number()?);
    let place = Place::Answer(&commit.table, commit.request.as_ref()?);
    Some(CommitOutcome::Duplicate { version, answer: place.open(parts.bytes()?)? })
}

fn read_entry(table: &TableId, version: Version, fields: &mut Parts) -> Option<LogEntry> {
    let (chain, at) = (Chain(fields.sixteen()?), fields.millis()?);
    let entry = Place::Entry(table, version, chain).open(fields.bytes()?)?;
    Some(LogEntry { version, chain, at, entry })
}

/// Reads what a channel says of a commit: its chain, version and time, then its entry.
pub(super) fn read_news(table: &TableId, message: &[u8]) -> Option<LogEntry> {
    let (chain, rest) = message.split_at_checked(16)?;
    let mut fields = rest.splitn(3, |byte| *byte == b' ');
    let mut number = || std::str::from_utf8(fields.next()?).ok()?.parse().ok();
    let (version, at) = (Version(number()?), Millis(number()?));
    let chain = Chain(chain.try_into().ok()?);
    let entry: Bytes = Place::Entry(table, version, chain).open(fields.next()?.to_vec())?;
    Some(LogEntry { version, chain, at, entry })
}

/// How many keys of a table and its partition a commit needs: one, and all before it.
const fn keys_needed(commit: &Commit) -> usize {
    match commit {
        Commit { outbox, .. } if !outbox.is_empty() => 8,
        Commit { listing: ListingChange::Set { .. }, .. } => 6,
        Commit { deadline: DeadlineChange::Clear | DeadlineChange::Set(_), .. } => 5,
        Commit { turns: TurnsChange::Replace(_), .. }
        | Commit { lease: LeaseUse::Held { .. }, .. } => 4,
        Commit { request: Some(_), .. } => 3,
        _ => 2,
    }
}

/// The field of a table's state that remembers a request: by seat and id.
fn name_of(request: &Request) -> Vec<u8> {
    let mut name = vec![b'r', request.seat];
    name.extend(request.id.0);
    name
}

/// What is remembered of a request: its body, the version that it made, its answer.
fn remembered_of(table: &TableId, request: &Request, version: Version) -> Vec<u8> {
    let mut remembered = request.body.0.to_vec();
    remembered.extend(format!("{version} ").into_bytes());
    remembered.extend(Place::Answer(table, request).seal(&request.answer));
    remembered
}

/// Turns by seat, one for each; of two the later counts.
fn by_seat(turns: &[TurnWanted]) -> Vec<TurnWanted> {
    let turns: std::collections::BTreeMap<u8, TurnWanted> =
        turns.iter().map(|turn| (turn.seat, *turn)).collect();
    turns.into_values().collect()
}

fn turns_text(turns: &[TurnWanted]) -> String {
    let mut text = String::new();
    for TurnWanted { seat, queue, takeable_at } in turns {
        let divider = if text.is_empty() { "" } else { "," };
        // Writing to a text does not fail.
        let _ = write!(text, "{divider}{seat}:{}:{}", queue.0, takeable_at.0);
    }
    text
}

/// The oldest version that the log keeps after a commit, as far as the commit says.
fn oldest_kept(trim: Trim, version: Version, log_entries_max: usize) -> u64 {
    let longest = version.0.saturating_add(1).saturating_sub(log_entries_max.max(1) as u64);
    match trim {
        Trim::Keep => longest,
        Trim::Before(kept) => longest.max(kept.0.min(version.0)),
    }
}

/// A length of time in milliseconds.
pub(super) fn millis(length: std::time::Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX)
}
