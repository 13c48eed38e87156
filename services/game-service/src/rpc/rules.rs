//! RulesService.
//!
//! **Invariant:** the rules crate says what can be played; this only carries it.

use handfoot_protocol::v1::rules_service_server::RulesService;
use handfoot_protocol::{
    ExplainError, check_rules, decode_choice, encode_draft, encode_preset, explain_rules, v1,
};
use handfoot_rules::Preset;
use tonic::{Request, Response, Status};

use crate::error::{ApiError, FieldProblem, field};
use crate::tables::{Page, PageToken};

/// The service.
#[derive(Debug)]
pub(super) struct RuleSets;

#[tonic::async_trait]
impl RulesService for RuleSets {
    async fn list_presets(
        &self,
        request: Request<v1::ListPresetsRequest>,
    ) -> Result<Response<v1::ListPresetsResponse>, Status> {
        let request = request.get_ref();
        let page = Page::of(request.page_size, &request.page_token)?;
        let given = match page.token {
            PageToken::Start => 0,
            PageToken::Presets { given } => given,
            PageToken::Commits { .. } | PageToken::Tables { .. } => {
                return Err(ApiError::PageTokenInvalid.into());
            }
        };
        let all = Preset::all();
        let end = given.saturating_add(page.size);
        let presets = all.iter().skip(given).take(page.size).map(encode_preset).collect();
        let next = (end < all.len()).then_some(PageToken::Presets { given: end });
        let next_page_token = next.map_or_else(String::new, |token| token.to_string());
        Ok(Response::new(v1::ListPresetsResponse { presets, next_page_token }))
    }

    async fn get_preset(
        &self,
        request: Request<v1::GetPresetRequest>,
    ) -> Result<Response<v1::GetPresetResponse>, Status> {
        let found = Preset::named(&request.get_ref().preset_id);
        let preset = found.map_err(|_| ApiError::PresetNotFound)?;
        let draft = preset.draft(None, None).map_err(|_| ApiError::Internal)?;
        let rules = Some(encode_draft(&draft));
        let preset = v1::Preset { rules, ..encode_preset(&preset) };
        Ok(Response::new(v1::GetPresetResponse { preset: Some(preset) }))
    }

    async fn check_rules(
        &self,
        request: Request<v1::CheckRulesRequest>,
    ) -> Result<Response<v1::CheckRulesResponse>, Status> {
        let choice = decode_choice(request.get_ref().rules.as_ref());
        let draft = choice.map_err(|error| ApiError::Choice { field: "rules", error })?;
        Ok(Response::new(check_rules(draft)))
    }

    async fn explain_rules(
        &self,
        request: Request<v1::ExplainRulesRequest>,
    ) -> Result<Response<v1::ExplainRulesResponse>, Status> {
        let explained = explain_rules(request.get_ref()).map_err(|error| match error {
            ExplainError::Choice(error) => ApiError::Choice { field: "rules", error },
            ExplainError::Rules(problems) => {
                ApiError::RulesInvalid { field: "rules.changes", problems }
            }
            ExplainError::Section(_) => field("section_id", FieldProblem::NoSection),
        })?;
        Ok(Response::new(explained))
    }
}
