//! Calls that a well-behaved client does not make.
//!
//! **Invariant:** one connection to one replica, without retries: what comes back is what that
//! replica said.

use handfoot_protocol::v1::play_service_client::PlayServiceClient;
use handfoot_protocol::v1::table_service_client::TableServiceClient;
use handfoot_protocol::{ErrorDetails, v1};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};

use crate::trouble::Trouble;

/// A connection to a replica. `window` is how many bytes of each stream may be under way; none:
/// what is usual.
///
/// # Errors
///
/// `Own` if it cannot be made.
pub(crate) async fn connect(address: &str, window: Option<u32>) -> Result<Channel, Trouble> {
    let own = |error: tonic::transport::Error| Trouble::Own(error.to_string());
    let endpoint = Endpoint::from_shared(format!("http://{address}")).map_err(own)?;
    let endpoint = endpoint.tcp_nodelay(true).initial_stream_window_size(window);
    endpoint.connect().await.map_err(own)
}

/// A client of the play service that sends and takes messages of any size.
pub(crate) fn player(channel: &Channel) -> PlayServiceClient<Channel> {
    let client = PlayServiceClient::new(channel.clone());
    client.max_encoding_message_size(usize::MAX).max_decoding_message_size(usize::MAX)
}

/// A message with a credential; without one if it is empty.
pub(crate) fn with<T>(credential: &str, message: T) -> Request<T> {
    let mut request = Request::new(message);
    if credential.is_empty() {
        return request;
    }
    // One that is no header is as good as none.
    if let Ok(value) = format!("Bearer {credential}").parse::<MetadataValue<Ascii>>() {
        request.metadata_mut().insert("authorization", value);
    }
    request
}

/// A token in words, with which to do what a client would not.
///
/// # Errors
///
/// `Own` if a replica refuses it.
pub(crate) async fn token(
    channel: &Channel,
    platform: &str,
    request: v1::IssueSeatTokenRequest,
) -> Result<String, Trouble> {
    let refused = |status: Status| Trouble::Own(format!("issuing a token: {}", reason(&status)));
    issue(channel, platform, request).await.map_err(refused)
}

/// The same, with what the replica says.
///
/// # Errors
///
/// What it says.
pub(crate) async fn issue(
    channel: &Channel,
    platform: &str,
    request: v1::IssueSeatTokenRequest,
) -> Result<String, Status> {
    let mut client = TableServiceClient::new(channel.clone());
    let issued = client.issue_seat_token(with(platform, request)).await?;
    Ok(issued.into_inner().token)
}

/// The name of the reason that a status gives.
pub(crate) fn reason(status: &Status) -> String {
    ErrorDetails::of(status).name
}
