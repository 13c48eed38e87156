//! Requests that nobody should send: random, spoilt, too large, stale, out of turn, and with
//! credentials of others or none.
//!
//! `HANDFOOT_TEST_REQUESTS` says how many a method is sent, and then what came of them is told.
//!
//! **Invariant:** a refusal has a reason of the contract and is no fault of the server; a table
//! changes only by an accepted request to change it; nobody learns of a table that is not theirs,
//! not even that it is there.

mod hall;
mod make;
mod raw;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use handfoot_game_service::limits::REQUEST_BYTES_MAX;
use handfoot_protocol::{ErrorDetails, REASON_TRAILER, v1};
use prost::Message;
use tonic::{Code, Status};

use self::hall::{ABSENT, Credential, FAR, Hall, OFFERS, TARGET};
pub(crate) use self::make::Schema;
use self::make::{Chance, Rpc, oversized, spoilt};

/// Requests that each method is sent, if nothing else is said.
const REQUESTS: usize = 300;

/// Reasons that are faults of the server.
const FAULTS: [&str; 6] = [
    "INTERNAL",
    "STATE_CORRUPT",
    "COMMIT_UNCONFIRMED",
    "STORE_UNREACHABLE",
    "DRAINING",
    "NOT_IMPLEMENTED",
];

/// How often each method answered so.
type Answers = BTreeMap<String, BTreeMap<String, usize>>;

type Answer = Result<Vec<u8>, Status>;

struct Sent<'a> {
    rpc: &'a Rpc,
    bytes: Vec<u8>,
    credential: Credential,
}

impl Sent<'_> {
    fn path(&self) -> String {
        format!("/handfoot.v1.{}/{}", self.rpc.service, self.rpc.method)
    }

    /// The one table that may change if the request is accepted.
    fn may_change(&self, hall: &Hall) -> Option<usize> {
        if !self.credential.changes {
            return None;
        }
        let names = |id: &str| self.bytes.windows(id.len()).any(|part| part == id.as_bytes());
        match self.rpc.method.as_str() {
            "SubmitActions" | "RequestUndo" => Some(TARGET),
            "AcquireSeat" => Some(OFFERS),
            "SetSeat" | "StartTable" | "EnterLift" | "CancelTable" | "IssueSeatToken" => {
                let mut seen = self.credential.sees.iter().copied();
                seen.find(|at| names(&hall.watched[*at].id))
            }
            _ => None,
        }
    }
}

/// A request, after what a good one of its kind needs was done.
async fn prepared<'a>(
    rpc: &'a Rpc,
    schema: &Schema,
    hall: &mut Hall,
    chance: &mut Chance,
) -> Sent<'a> {
    if rpc.method == "RequestUndo" && chance.one_in(2) {
        hall.lay().await;
    }
    request(rpc, schema, hall, chance)
}

fn request<'a>(rpc: &'a Rpc, schema: &Schema, hall: &Hall, chance: &mut Chance) -> Sent<'a> {
    let kind = chance.below(20);
    let mut bytes = match kind {
        0..4 => schema.random(&rpc.input, chance),
        _ => hall.base(rpc, chance),
    };
    match kind {
        4..8 => bytes.extend(schema.one_field(&rpc.input, chance)),
        8..12 => bytes = spoilt(bytes, chance),
        12 => bytes = oversized(bytes, REQUEST_BYTES_MAX + chance.below(9_000)),
        13 => bytes.extend(schema.random(&rpc.input, chance)),
        _ => {}
    }
    let credential = match kind {
        13..17 => hall.wrong(&rpc.service, chance),
        _ => hall.good(&rpc.service, chance),
    };
    Sent { rpc, bytes, credential }
}

/// The answer's name, after everything that a refusal must have was looked at.
fn name_of(sent: &Sent<'_>, answer: &Answer) -> String {
    let Err(status) = answer else {
        assert!(sent.bytes.len() <= REQUEST_BYTES_MAX, "too large and accepted");
        return "OK".to_owned();
    };
    let told = format!("{} {:?} {status:?}", sent.path(), sent.credential);
    let trailer = status.metadata().get(REASON_TRAILER).expect(&told).to_str().unwrap();
    // Without its trailers, so that the name is that of the details.
    let bare = Status::with_details(status.code(), "", status.details().to_vec().into());
    let details = ErrorDetails::of(&bare);
    assert!(details.name == trailer && details.reason.is_some(), "{told}");
    assert_eq!(details.reason.unwrap().code(), status.code(), "{told}");
    assert!(!matches!(status.code(), Code::Internal | Code::Unknown), "{told}");
    assert!(!FAULTS.contains(&trailer), "{told}");
    assert_eq!(trailer == "FIELD_INVALID", details.metadata.contains_key("field"), "{told}");
    if trailer == "FIELD_INVALID" {
        assert!(details.violations.iter().any(|wrong| !wrong.field.is_empty()), "{told}");
    }
    if sent.bytes.len() > REQUEST_BYTES_MAX {
        assert_eq!((trailer, &*details.violations[0].field), ("FIELD_INVALID", "request"));
    }
    trailer.to_owned()
}

/// All that came back, to be searched.
fn text_of(answer: &Answer) -> Vec<u8> {
    match answer {
        Ok(bytes) => bytes.clone(),
        Err(status) => {
            let mut text = status.details().to_vec();
            text.extend(format!("{} {:?}", status.message(), status.metadata()).into_bytes());
            text
        }
    }
}

fn assert_nothing_leaked(hall: &Hall, sent: &Sent<'_>, answer: &Answer) {
    let text = text_of(answer);
    for (at, table) in hall.watched.iter().enumerate() {
        let secret = table.secret.as_bytes();
        let has = |bytes: &[u8]| bytes.windows(secret.len()).any(|part| part == secret);
        let may = sent.credential.sees.contains(&at) || has(&sent.bytes);
        assert!(may || !has(&text), "{} {:?} tells of {at}", sent.path(), sent.credential);
    }
}

/// The version and chain that an accepted request says it made.
fn made(rpc: &Rpc, bytes: &[u8]) -> Option<v1::Stamp> {
    let commit = match rpc.method.as_str() {
        "SubmitActions" => v1::SubmitActionsResponse::decode(bytes).unwrap().commit,
        "RequestUndo" => v1::RequestUndoResponse::decode(bytes).unwrap().commit,
        _ => None,
    };
    commit?.stamp
}

async fn assert_only_accepted_changes(hall: &mut Hall, sent: &Sent<'_>, answer: &Answer) {
    let may_change = sent.may_change(hall);
    for at in 0..hall.watched.len() {
        let (before, now) = (hall.watched[at].mark, hall.mark(&hall.watched[at].id).await);
        if before == now {
            continue;
        }
        let told = format!("{at} by {} {:?}: {answer:?}", sent.path(), sent.credential);
        let bytes = answer.as_ref().expect(&told);
        assert_eq!(may_change, Some(at), "{told}");
        assert!(now.version > before.version && now.chain != before.chain, "{told}");
        if at == TARGET {
            let stamp = made(sent.rpc, bytes).expect(&told);
            assert!(stamp.version > before.version.0 && stamp.version <= now.version.0, "{told}");
        }
        hall.watched[at].mark = now;
        if at == TARGET {
            hall.follow().await;
        }
    }
}

/// A table of another tenant is as one that is not there.
async fn assert_same_as_absent(hall: &mut Hall, sent: &Sent<'_>, answer: &Answer) {
    let Some(twin) = sent.credential.twin.clone() else { return };
    let mut bytes = sent.bytes.clone();
    for at in (0..hall.watched.len()).filter(|at| *at != FAR) {
        let id = hall.watched[at].id.as_bytes();
        let places: Vec<usize> =
            (0..bytes.len()).filter(|at| bytes[*at..].starts_with(id)).collect();
        places.iter().for_each(|at| bytes[*at..at + id.len()].copy_from_slice(ABSENT.as_bytes()));
    }
    // What names no table of ours may be accepted, and would then be carried out twice.
    if bytes == sent.bytes && sent.rpc.service != "PlayService" {
        return;
    }
    let absent = hall.raw.send(&sent.path(), sent.rpc.is_stream, Some(&twin), bytes).await;
    if let (Err(foreign), Err(absent)) = (answer, &absent) {
        let parts = |of: &Status| (of.code(), of.message().to_owned(), of.details().to_vec());
        assert_eq!(parts(foreign), parts(absent), "{}", sent.path());
    }
    assert_eq!(answer.is_ok(), absent.is_ok(), "{}", sent.path());
}

async fn one(hall: &mut Hall, sent: &Sent<'_>, answers: &mut Answers) {
    let (header, bytes) = (sent.credential.header.as_deref(), sent.bytes.clone());
    let answer = hall.raw.send(&sent.path(), sent.rpc.is_stream, header, bytes).await;
    let name = name_of(sent, &answer);
    *answers.entry(sent.rpc.method.clone()).or_default().entry(name).or_default() += 1;
    assert_nothing_leaked(hall, sent, &answer);
    assert_only_accepted_changes(hall, sent, &answer).await;
    assert_same_as_absent(hall, sent, &answer).await;
}

/// Whether somebody asked for a number of requests, and the number.
fn n_requests() -> (bool, usize) {
    let asked = std::env::var("HANDFOOT_TEST_REQUESTS").ok();
    (asked.is_some(), asked.map_or(REQUESTS, |number| number.parse().unwrap()))
}

async fn hall_and_schema() -> (Hall, Schema) {
    let (hall, mut schema) = (Hall::new().await, Schema::new());
    schema.texts.extend([hall.watched[FAR].id.clone(), ABSENT.to_owned()]);
    (hall, schema)
}

/// Sends every method of a service its requests; `expected` are names of answers that must be
/// among those that came, of any method or of the one named before, so that the requests reach
/// what they are to reach.
async fn bad_requests(service: &str, expected: &[&str]) {
    let (asked, n_requests) = n_requests();
    let (mut hall, schema) = hall_and_schema().await;
    let mut answers = Answers::new();
    let rpcs: Vec<&Rpc> = schema.rpcs.iter().filter(|rpc| rpc.service == service).collect();
    assert!(!rpcs.is_empty());
    for (at, rpc) in rpcs.into_iter().enumerate() {
        let mut chance = Chance(u64::try_from(at).unwrap());
        for n in 0..n_requests {
            if n % 100 == 0 {
                hall.settle().await;
            }
            let sent = prepared(rpc, &schema, &mut hall, &mut chance).await;
            one(&mut hall, &sent, &mut answers).await;
        }
    }
    if asked {
        let mut out = std::io::stderr();
        writeln!(out, "{service}: {answers:#?}").unwrap();
    }
    for expected in expected {
        let (method, name) = expected.rsplit_once(' ').unwrap_or(("", expected));
        let meant = answers.iter().filter(|(of, _)| method.is_empty() || *of == method);
        let came = meant.into_iter().any(|(_, of_method)| of_method.contains_key(name));
        assert!(came, "{expected} is not among {answers:#?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_server_service_refuses_with_a_reason() {
    bad_requests("ServerService", &["OK", "FIELD_INVALID"]).await;
}

#[tokio::test(start_paused = true)]
async fn the_rules_service_refuses_with_a_reason() {
    let expected = ["OK", "FIELD_INVALID", "PAGE_TOKEN_INVALID", "PRESET_NOT_FOUND"];
    bad_requests("RulesService", &expected).await;
}

#[tokio::test(start_paused = true)]
async fn the_table_service_refuses_with_a_reason() {
    let expected = [
        "OK",
        "FIELD_INVALID",
        "CREDENTIAL_MISSING",
        "CREDENTIAL_INVALID",
        "SCOPE_MISSING",
        "TABLE_NOT_FOUND",
        "TABLE_ALREADY_STARTED",
        "TABLE_CLOSED",
        "SEATS_OPEN",
        "SEAT_NOT_FOUND",
        "SEAT_NOT_PERSON",
        "PLAYER_ALREADY_SEATED",
        "PRESET_NOT_FOUND",
        "PAGE_TOKEN_INVALID",
        "REQUEST_ID_REUSED",
        "EnterLift OK",
        "EnterLift SCOPE_MISSING",
        "EnterLift SEAT_NOT_FOUND",
        "EnterLift REQUEST_ID_REUSED",
        "EnterLift STALE_VERSION",
        "EnterLift HISTORY_DIVERGED",
        "LIFTS_NOT_ENTERED",
        "LIFT_ALREADY_ENTERED",
        "LIFT_TOO_LARGE",
    ];
    bad_requests("TableService", &expected).await;
}

#[tokio::test(start_paused = true)]
async fn the_play_service_refuses_with_a_reason() {
    let expected = [
        "OK",
        "FIELD_INVALID",
        "CREDENTIAL_MISSING",
        "CREDENTIAL_INVALID",
        "CREDENTIAL_EXPIRED",
        "SCOPE_MISSING",
        "NOT_SEATED",
        "TABLE_NOT_FOUND",
        "LEASE_LOST",
        "STALE_VERSION",
        "HISTORY_DIVERGED",
        "NOT_YOUR_TURN",
        "REQUEST_ID_REUSED",
        "PAGE_TOKEN_INVALID",
        "RequestUndo NOTHING_TO_UNDO",
        "RequestUndo OK",
        "BATCH_CROSSES_REVEAL",
    ];
    bad_requests("PlayService", &expected).await;
}

#[tokio::test(start_paused = true)]
async fn the_bot_dispatch_service_refuses_with_a_reason() {
    let expected =
        ["OK", "FIELD_INVALID", "CREDENTIAL_MISSING", "CREDENTIAL_INVALID", "TABLE_NOT_FOUND"];
    bad_requests("BotDispatchService", &expected).await;
}

/// Requests that are under way together.
const AT_ONCE: usize = 8;

/// The table that an accepted request may have changed.
fn changed_by(hall: &Hall, sent: &Sent<'_>, answer: &[u8]) -> Option<usize> {
    if sent.rpc.method != "AcquireSeat" {
        return sent.may_change(hall);
    }
    // Any table may have come to offer seats.
    let acquired = v1::AcquireSeatResponse::decode(answer).unwrap().acquired?;
    hall.watched.iter().position(|table| table.id == acquired.table_id)
}

/// Sends requests together; each is answered as if it were alone, and tables change as the
/// accepted ones say.
async fn together(hall: &mut Hall, batch: &[Sent<'_>]) -> usize {
    let mut calls = tokio::task::JoinSet::new();
    for (at, sent) in batch.iter().enumerate() {
        let (mut raw, path, is_stream) = (hall.raw.clone(), sent.path(), sent.rpc.is_stream);
        let (header, bytes) = (sent.credential.header.clone(), sent.bytes.clone());
        calls
            .spawn(async move { (at, raw.send(&path, is_stream, header.as_deref(), bytes).await) });
    }
    let mut answers = calls.join_all().await;
    answers.sort_by_key(|(at, _)| *at);
    let mut accepted = vec![BTreeSet::new(); hall.watched.len()];
    for ((_, answer), sent) in answers.iter().zip(batch) {
        name_of(sent, answer);
        assert_nothing_leaked(hall, sent, answer);
        let Ok(bytes) = answer else { continue };
        if let Some(at) = changed_by(hall, sent, bytes) {
            accepted[at].insert(made(sent.rpc, bytes).map(|stamp| stamp.version));
        }
    }
    for (at, made) in accepted.iter().enumerate() {
        let (before, now) = (hall.watched[at].mark, hall.mark(&hall.watched[at].id).await);
        assert!(before == now || !made.is_empty(), "{at} changed and nobody was told");
        if at == TARGET {
            // A request that was answered before is told an old version.
            let new = made.iter().flatten().filter(|version| **version > before.version.0);
            assert_eq!(before.version.0 + u64::try_from(new.count()).unwrap(), now.version.0);
        }
        hall.watched[at].mark = now;
    }
    hall.follow().await;
    accepted[TARGET].len()
}

/// Fault list: R54.
#[tokio::test(start_paused = true)]
async fn requests_under_way_together_are_each_answered_and_do_not_mix() {
    let (_, n_requests) = n_requests();
    let (mut hall, schema) = hall_and_schema().await;
    let mut chance = Chance(73);
    let all = schema.rpcs.clone();
    let mut play = all.clone();
    play.retain(|rpc| rpc.service == "PlayService");
    // Most actions are refused: where games shall move, many must be submitted.
    let submit = play.iter().find(|rpc| rpc.method == "SubmitActions").cloned();
    play.extend(submit);
    let mut n_accepted = 0;
    for batch in 0..n_requests {
        if batch % 20 == 0 {
            hall.settle().await;
        }
        let mut sent = Vec::new();
        for _ in 0..AT_ONCE {
            // Most of them meet at one table.
            let rpcs = if chance.one_in(3) { &all } else { &play };
            sent.push(prepared(chance.of(rpcs), &schema, &mut hall, &mut chance).await);
        }
        n_accepted += together(&mut hall, &sent).await;
    }
    assert!(n_accepted > n_requests / 60, "{n_accepted} of {n_requests} batches moved the game");
}
