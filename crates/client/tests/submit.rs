//! Playing: deadlines, retries, errors.

use std::collections::BTreeSet;
use std::time::Duration;

use handfoot_client::{ClientError, Decision, Played, UndoDecision};
use handfoot_protocol::v1::{RejectionReason, ServiceReason};
use handfoot_protocol::{Advice, Failure, Reason, v1};
use tokio::time::Instant;
use tonic::{Code, Status};

use crate::fake::{Answer, Fake};
use crate::notes::{Note, Notes};
use crate::table::Table;

const SUBMIT: &str = "handfoot.v1.PlayService/SubmitActions";

fn accepted(table: &mut Table, replayed: bool) -> Answer {
    let commit = Some(table.advance());
    let legal = Some(table.legal());
    Answer::Now(Box::new(Ok(v1::SubmitActionsResponse { commit, replayed, legal })))
}

fn refused(status: Status) -> Answer {
    Answer::Now(Box::new(Err(status)))
}

fn away(reason: ServiceReason) -> Answer {
    refused(Failure::new(reason, "away").to_status())
}

/// A server, a game, and a first decision at it.
fn set_up() -> (Fake, Table, Decision) {
    let (fake, table) = (Fake::default(), Table::new(1));
    let view = v1::GetViewResponse { view: Some(table.view()), rules: Some(table.draft()) };
    fake.with(|script| script.views.push_back(Ok(view)));
    let decision = Decision::new(table.version, vec![table.first_action()]);
    (fake, table, decision)
}

fn ids(fake: &Fake) -> Vec<String> {
    fake.with(|script| script.submitted.iter().map(|(_, r)| r.request_id.clone()).collect())
}

#[tokio::test(start_paused = true)]
async fn a_view_is_read_and_its_rules_are_asked_for_once() {
    let (fake, table, _) = set_up();
    let again = v1::GetViewResponse { view: Some(table.view()), rules: None };
    fake.with(|script| script.views.push_back(Ok(again)));
    let client = fake.client();
    let known = client.view().await.unwrap();
    assert_eq!((&known.view, &known.stamp), (&table.truth(), &table.stamp()));
    assert!(known.is_to_act());
    assert_eq!(client.view().await.unwrap(), known);
    let asked = fake.with(|script| script.view_requests.clone());
    let asked: Vec<v1::RulesDelivery> = asked.iter().map(v1::GetViewRequest::rules).collect();
    assert_eq!(asked, [v1::RulesDelivery::Include, v1::RulesDelivery::Omit]);
}

/// Fault list: R99.
#[tokio::test(start_paused = true)]
async fn what_was_unavailable_is_sent_again_under_the_same_id() {
    let (fake, mut table, decision) = set_up();
    fake.with(|script| {
        script.submits.push_back(away(ServiceReason::Draining));
        script.submits.push_back(away(ServiceReason::StoreUnreachable));
        script.submits.push_back(accepted(&mut table, false));
    });
    let notes = Notes::default();
    let client = fake.client_with(&notes.settings());
    let mut known = client.view().await.unwrap();
    assert_eq!(notes.taken(), [Note::Ended("handfoot.v1.PlayService/GetView", Code::Ok)]);
    let submitted = client.submit(&decision).await.unwrap();
    assert_eq!(submitted.played, Played::Now);
    assert_eq!(submitted.legal.unwrap().version, table.version);
    known.follow(&submitted.commit.unwrap()).unwrap();
    assert_eq!(known.view, table.truth());
    let sent = ids(&fake);
    assert_eq!(sent, vec![decision.request_id().to_owned(); 3]);
    let told = [Note::Repeated(SUBMIT), Note::Repeated(SUBMIT), Note::Ended(SUBMIT, Code::Ok)];
    assert_eq!(notes.taken(), told);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_is_told_as_cancelled() {
    let (fake, _, decision) = set_up();
    fake.with(|script| script.submits.push_back(Answer::Never));
    let notes = Notes::default();
    let client = fake.client_with(&notes.settings());
    client.view().await.unwrap();
    notes.taken();
    let patience = Duration::from_millis(100);
    tokio::time::timeout(patience, client.submit(&decision)).await.unwrap_err();
    assert_eq!(notes.taken(), [Note::Ended(SUBMIT, Code::Cancelled)]);
}

#[tokio::test(start_paused = true)]
async fn the_pause_that_the_server_asks_for_is_kept() {
    let (fake, mut table, decision) = set_up();
    let asked = Duration::from_millis(700);
    let failure = Failure::new(ServiceReason::Draining, "away").with_retry_after(asked);
    fake.with(|script| {
        script.submits.push_back(refused(failure.to_status()));
        script.submits.push_back(accepted(&mut table, false));
    });
    let client = fake.client();
    client.submit(&decision).await.unwrap();
    let times: Vec<Instant> =
        fake.with(|script| script.submitted.iter().map(|(at, _)| *at).collect());
    let pause = times[1] - times[0];
    assert!(pause >= asked && pause <= asked * 6 / 5 + Duration::from_millis(2), "{pause:?}");
}

#[tokio::test(start_paused = true)]
async fn four_attempts_are_all() {
    let (fake, _, decision) = set_up();
    fake.with(|script| {
        let away = || refused(Status::unavailable("proxy"));
        script.submits.extend([away(), away(), away(), away(), away()]);
    });
    let error = fake.client().submit(&decision).await.unwrap_err();
    let ClientError::Refused(refused) = &error else { panic!("{error}") };
    assert_eq!((refused.code, refused.attempts), (Code::Unavailable, 4));
    assert_eq!((error.reason(), error.advice()), (None, Advice::Retry));
    assert_eq!(ids(&fake).len(), 4);
}

/// Fault list: R53.
#[tokio::test(start_paused = true)]
async fn a_lost_answer_ends_at_the_deadline_and_the_decision_can_be_sent_again() {
    let (fake, mut table, decision) = set_up();
    fake.with(|script| {
        script.submits.push_back(Answer::Never);
        script.submits.push_back(accepted(&mut table, true));
    });
    let client = fake.client();
    client.view().await.unwrap();
    let started = Instant::now();
    let error = client.submit(&decision).await.unwrap_err();
    assert_eq!(error, ClientError::DeadlineExceeded { after: Duration::from_secs(2) });
    assert_eq!(error.advice(), Advice::Retry);
    assert!(started.elapsed() < Duration::from_millis(2100));
    assert_eq!(client.submit(&decision).await.unwrap().played, Played::Before);
    let sent: BTreeSet<String> = ids(&fake).into_iter().collect();
    assert_eq!(sent.len(), 1, "the same id both times");
}

#[tokio::test(start_paused = true)]
async fn only_unavailable_is_sent_again() {
    for (reason, advice) in [
        (ServiceReason::StaleVersion, Advice::Reread),
        (ServiceReason::LeaseLost, Advice::Reread),
        (ServiceReason::RateLimited, Advice::Retry),
        (ServiceReason::CredentialExpired, Advice::Authorise),
        (ServiceReason::Internal, Advice::GiveUp),
    ] {
        let (fake, _, decision) = set_up();
        fake.with(|script| script.submits.push_back(away(reason)));
        let error = fake.client().submit(&decision).await.unwrap_err();
        assert_eq!(error.reason(), Some(Reason::Service(reason)));
        assert_eq!(error.advice(), advice);
        assert_eq!(ids(&fake).len(), 1, "{reason:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_of_the_rules_has_its_reason_and_shows_no_card_in_logs() {
    let (fake, table, decision) = set_up();
    let rejection = handfoot_view::Rejection::CardNotHeld {
        card: *table.truth().own.iter().collect::<Vec<_>>().first().unwrap(),
    };
    let failure = handfoot_protocol::refused(&rejection, &table.rules, 0);
    fake.with(|script| script.submits.push_back(refused(failure.to_status())));
    let error = fake.client().submit(&decision).await.unwrap_err();
    assert_eq!(error.reason(), Some(Reason::Rule(RejectionReason::CardNotHeld)));
    assert_eq!(error.label(), "CARD_NOT_HELD");
    let ClientError::Refused(refused) = &error else { panic!("{error}") };
    let card = &refused.metadata()["card"];
    assert!(!format!("{error:?}").contains(card.as_str()), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn secrets_are_not_printed() {
    let (fake, _, decision) = set_up();
    let client = fake.client();
    let known = client.view().await.unwrap();
    let printed = format!("{client:?} {known:?} {decision:?} {:?}", UndoDecision::new(1, 1));
    assert!(!printed.contains(crate::fake::TOKEN), "{printed}");
    assert!(!printed.contains("Cards"), "{printed}");
}
