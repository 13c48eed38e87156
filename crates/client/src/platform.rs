//! Running tables, rule sets, and what a server says of itself.
//!
//! **Invariant:** every call that makes something carries a request id that is made once, or
//! changes nothing the second time.

use std::time::SystemTime;

use handfoot_protocol::v1;
use handfoot_protocol::v1::rules_service_client::RulesServiceClient;
use handfoot_protocol::v1::server_service_client::ServerServiceClient;
use handfoot_protocol::v1::table_service_client::TableServiceClient;
use uuid::Uuid;

use crate::connection::Connection;
use crate::credential::{Header, PlatformCredential, SeatToken};
use crate::error::{AnswerProblem, ClientError};
use crate::policy::Rpc;

/// Calls as the platform.
#[derive(Clone, Debug)]
pub struct PlatformClient {
    connection: Connection,
    credential: PlatformCredential,
}

/// A token that was issued.
#[derive(Clone, Debug)]
pub struct IssuedToken {
    /// The token.
    pub token: SeatToken,
    /// When it runs out by the server's clock.
    pub expires: Option<SystemTime>,
}

/// Methods that pass a message and give its answer.
macro_rules! calls {
    ($service:literal, $client:ident, $credential:expr; $(
        $(#[$doc:meta])+ $visibility:vis $name:ident / $method:literal: $request:ident -> $answer:ident;
    )+) => { $(
        $(#[$doc])+
        ///
        /// # Errors
        ///
        /// [`ClientError`].
        $visibility async fn $name(
            &self,
            request: v1::$request,
        ) -> Result<v1::$answer, ClientError> {
            let rpc = Rpc(concat!($service, "/", $method));
            let credential: fn(&PlatformClient) -> Option<&Header> = $credential;
            let send = |wire, request| async move { $client::new(wire).$name(request).await };
            self.connection.call(rpc, credential(self), request, send).await
        }
    )+ };
}

impl PlatformClient {
    /// Calls with this credential.
    #[must_use]
    pub const fn new(connection: Connection, credential: PlatformCredential) -> PlatformClient {
        PlatformClient { connection, credential }
    }

    /// Creates a table. A request without an id is given one, for all its attempts.
    ///
    /// # Errors
    ///
    /// [`ClientError`].
    pub async fn create(
        &self,
        mut request: v1::CreateTableRequest,
    ) -> Result<v1::CreateTableResponse, ClientError> {
        if request.request_id.is_empty() {
            request.request_id = Uuid::new_v4().to_string();
        }
        self.create_table(request).await
    }

    /// Changes who a seat belongs to. A request without an id is given one, for all its attempts.
    ///
    /// # Errors
    ///
    /// [`ClientError`].
    pub async fn seat(
        &self,
        mut request: v1::SetSeatRequest,
    ) -> Result<v1::SetSeatResponse, ClientError> {
        if request.request_id.is_empty() {
            request.request_id = Uuid::new_v4().to_string();
        }
        self.set_seat(request).await
    }

    /// Enters how many cards a seat lifted. A request without an id is given one, for all its
    /// attempts.
    ///
    /// # Errors
    ///
    /// [`ClientError`].
    pub async fn lift(
        &self,
        mut request: v1::EnterLiftRequest,
    ) -> Result<v1::EnterLiftResponse, ClientError> {
        if request.request_id.is_empty() {
            request.request_id = Uuid::new_v4().to_string();
        }
        self.enter_lift(request).await
    }

    /// Issues the token with which one seat, or a spectator, plays and watches.
    ///
    /// # Errors
    ///
    /// [`ClientError`].
    pub async fn issue(
        &self,
        request: v1::IssueSeatTokenRequest,
    ) -> Result<IssuedToken, ClientError> {
        let answer = self.issue_seat_token(request).await?;
        let unusable = |_| ClientError::Answer(AnswerProblem::Token);
        Ok(IssuedToken {
            token: SeatToken::new(&answer.token).map_err(unusable)?,
            expires: answer.expire_time.and_then(|time| SystemTime::try_from(time).ok()),
        })
    }

    calls! { "handfoot.v1.TableService", TableServiceClient,
        |client| Some(client.credential.header());
        /// Creates a table.
        create_table / "CreateTable": CreateTableRequest -> CreateTableResponse;
        /// Issues a token.
        issue_seat_token / "IssueSeatToken": IssueSeatTokenRequest -> IssueSeatTokenResponse;
        /// Enters how many cards a seat lifted.
        enter_lift / "EnterLift": EnterLiftRequest -> EnterLiftResponse;
        /// Gives one table.
        pub get_table / "GetTable": GetTableRequest -> GetTableResponse;
        /// Lists the tenant's tables, the newest first.
        pub list_tables / "ListTables": ListTablesRequest -> ListTablesResponse;
        /// Changes who a seat belongs to.
        set_seat / "SetSeat": SetSeatRequest -> SetSeatResponse;
        /// Gives the score sheet of a table that was started.
        pub get_table_score_sheet / "GetTableScoreSheet":
            GetTableScoreSheetRequest -> GetTableScoreSheetResponse;
        /// Starts the game.
        pub start_table / "StartTable": StartTableRequest -> StartTableResponse;
        /// Ends a table before its game is over.
        pub cancel_table / "CancelTable": CancelTableRequest -> CancelTableResponse;
    }

    calls! { "handfoot.v1.RulesService", RulesServiceClient, |_| None;
        /// Lists the presets.
        pub list_presets / "ListPresets": ListPresetsRequest -> ListPresetsResponse;
        /// Gives one preset.
        pub get_preset / "GetPreset": GetPresetRequest -> GetPresetResponse;
        /// Says what is wrong with a rule set or odd about it.
        pub check_rules / "CheckRules": CheckRulesRequest -> CheckRulesResponse;
        /// Says in plain language how a rule set is played.
        pub explain_rules / "ExplainRules": ExplainRulesRequest -> ExplainRulesResponse;
    }

    calls! { "handfoot.v1.ServerService", ServerServiceClient, |_| None;
        /// Says what the server is and can do.
        pub get_server_info / "GetServerInfo": GetServerInfoRequest -> GetServerInfoResponse;
    }
}
