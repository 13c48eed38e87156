//! Credentials that are somebody else's, of another kind, changed, or of before a seat changed
//! hands, at every replica.
//!
//! **Invariant:** each is refused with the reason that says so, and the games of others go on.

use std::time::Duration;

use handfoot_protocol::v1;
use handfoot_protocol::v1::table_service_client::TableServiceClient;
use tonic::Status;
use tonic::transport::Channel;

use crate::crowd::open::{TableOrder, open_one};
use crate::house::Order;
use crate::raw;
use crate::scenario::{Play, Scene, Tried};
use crate::setting::Setting;
use crate::trouble::Trouble;
use crate::verdict::{Calls, Expect};

/// Fault list: R66, R69.
pub(crate) async fn tokens_of_others_open_nothing(setting: &Setting) -> Result<Tried, Trouble> {
    let mut scene = Scene::open(setting, Order::alone(), Play::FAST).await?;
    scene.under_way().await?;
    let aside = TableOrder { rounds: 1, pace: Duration::ZERO };
    let opened = open_one(scene.house.platform()?, aside, &[1, 2, 3, 4], 1).await?;
    scene.strike();
    let (platform, bot) =
        (scene.house.credentials.platform.clone(), scene.house.credentials.bot.clone());
    let issue = |seat, older_tokens: v1::OlderTokens| v1::IssueSeatTokenRequest {
        table_id: opened.id.clone(),
        seat,
        older_tokens: older_tokens as i32,
        ..Default::default()
    };
    let mut channels = Vec::new();
    for replica in &scene.house.replicas {
        channels.push(raw::connect(&replica.address, None).await?);
    }
    let keep = v1::OlderTokens::Keep;
    let spectator = raw::token(&channels[0], &platform, issue(0, keep)).await?;
    let before = raw::token(&channels[0], &platform, issue(2, keep)).await?;
    let now = raw::token(&channels[1], &platform, issue(2, v1::OlderTokens::Revoke)).await?;
    let mut changed = now.clone();
    let last = if changed.ends_with('A') { 'B' } else { 'A' };
    changed.pop();
    // The last letter holds spare bits, so that the one before it is changed as well.
    changed.pop();
    changed.extend([last, last]);
    for channel in &channels {
        for (credential, reason) in [
            (before.as_str(), "CREDENTIAL_EXPIRED"),
            (&changed, "CREDENTIAL_INVALID"),
            (&platform, "CREDENTIAL_INVALID"),
            (&bot, "CREDENTIAL_INVALID"),
            ("", "CREDENTIAL_MISSING"),
        ] {
            let said = said(&view(channel, credential).await);
            scene.must(&format!("a view was answered with {said}, not {reason}"), said == reason);
        }
        let said = said(&submit(channel, &spectator).await);
        scene.must(&format!("a spectator's action got {said}"), said == "NOT_SEATED");
        let said = self::said(&table(channel, &now, &opened.id).await);
        let is_refused = said == "CREDENTIAL_INVALID";
        scene.must(&format!("a seat's token got {said} from the platform's calls"), is_refused);
        let seen = view(channel, &now).await;
        let seat = seen.as_ref().ok().and_then(|view| view.view.as_ref()).map(|view| view.seat);
        scene.must("the newest token does not open its own seat", seat == Some(2));
    }
    scene.end(&Expect { calls: Calls::NeverFail, ..Expect::default() }).await
}

/// What a call came to, in a word.
fn said<T>(called: &Result<T, Status>) -> String {
    match called {
        Ok(_) => "an answer".to_owned(),
        Err(status) => raw::reason(status),
    }
}

async fn view(channel: &Channel, credential: &str) -> Result<v1::GetViewResponse, Status> {
    let request = raw::with(credential, v1::GetViewRequest::default());
    raw::player(channel).get_view(request).await.map(tonic::Response::into_inner)
}

async fn submit(channel: &Channel, credential: &str) -> Result<v1::SubmitActionsResponse, Status> {
    let draw = v1::Action { action: Some(v1::action::Action::Draw(v1::DrawAction::default())) };
    let request = v1::SubmitActionsRequest {
        request_id: uuid::Uuid::new_v4().to_string(),
        expected_version: 1,
        actions: vec![draw],
        ..Default::default()
    };
    let request = raw::with(credential, request);
    raw::player(channel).submit_actions(request).await.map(tonic::Response::into_inner)
}

async fn table(
    channel: &Channel,
    credential: &str,
    table_id: &str,
) -> Result<v1::GetTableResponse, Status> {
    let request = v1::GetTableRequest { table_id: table_id.to_owned() };
    let mut client = TableServiceClient::new(channel.clone());
    client.get_table(raw::with(credential, request)).await.map(tonic::Response::into_inner)
}
