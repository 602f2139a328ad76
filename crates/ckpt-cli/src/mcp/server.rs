//! Answers the requests of a client.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, GetPromptRequestParams,
    GetPromptResponse, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ResourceContents, ResourceTemplate,
    ResourceUpdatedNotificationParam, ServerCapabilities, ServerConfig, SubscribeRequestParams,
    SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{
    NotificationContext, Peer, RequestContext, SubscriptionContext, SubscriptionSink,
};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio::task::{AbortHandle, spawn_blocking};

use super::call::{Call, Refused};
use super::place::Place;
use super::progress::Progress;
use super::resources::{self, Named};
use super::watch::Watch;
use super::{prompts, tools};
use crate::ui::Attendant;

/// What a client is told about the server as a whole.
const INSTRUCTIONS: &str = "\
ckpt keeps the state of long work in this repository, so that whoever comes next can go on where you stop.
At the start call resume, and look at what it says to check first. Record each step as soon as it is done: phase for a \
command, plan for a task of a plan, pipeline for a workstream. When something is in the way, record that too (plan block, \
phase failed, pipeline fail). At the end close the checkpoint.
Where a text names a command such as `ckpt plan done TASK`, the tool of that name does the same.";

/// The server.
pub(super) struct Server {
    place: Arc<Place>,
    /// What the client has subscribed to, in the earlier version of the protocol.
    subscriptions: Mutex<HashMap<String, AbortHandle>>,
}

impl Server {
    pub(super) fn new(directory: Option<PathBuf>) -> Self {
        Self {
            place: Arc::new(Place::new(directory)),
            subscriptions: Mutex::default(),
        }
    }

    async fn call_for(&self, peer: &Peer<RoleServer>) -> Call {
        Call {
            directory: self.place.directory(peer).await,
            attendant: Attendant::default(),
        }
    }
}

/// Does something that reads or writes files, away from the thread that talks to the client.
async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refused> + Send + 'static,
) -> Result<Result<T, Refused>, ErrorData> {
    let done = spawn_blocking(work).await;
    done.map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn refused(Refused(message): Refused) -> ErrorData {
    ErrorData::resource_not_found(message, None)
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("ckpt", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = tools::ALL.map(tools::Entry::described);
        Ok(ListToolsResult::with_all_items(tools.to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = tools::Entry::find(&request.name) else {
            let message = format!("there is no tool {:?}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        let mut call = self.call_for(&context.peer).await;
        let progress = Progress::of(&context);
        call.attendant.listener = progress.as_ref().map(Progress::listener);
        let stop = Arc::clone(&call.attendant.stop);
        let input = Value::Object(request.arguments.unwrap_or_default());
        let done = beside(move || tool.call(&call, input));
        tokio::pin!(done);
        let done = tokio::select! {
            done = &mut done => done,
            () = context.ct.cancelled() => {
                stop.store(true, Ordering::Relaxed);
                // What was started is ended before anything else happens.
                done.await
            }
        };
        Ok(match done? {
            Ok(output) => CallToolResult::structured(output),
            Err(Refused(message)) => CallToolResult::error(vec![ContentBlock::text(message)]),
        }
        .into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let call = self.call_for(&context.peer).await;
        let found = beside(move || resources::all(&call)).await?;
        let found = found.map_err(refused)?;
        Ok(ListResourcesResult::with_all_items(found))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = ResourceTemplate::new(resources::TEMPLATE, "checkpoint")
            .with_description("A checkpoint by its key, such as ckpt://implement/auth");
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let named = named(&request.uri)?;
        let mime = named.mime();
        let call = self.call_for(&context.peer).await;
        let content = beside(move || named.content(&call)).await?;
        let content = content.map_err(refused)?;
        let content = ResourceContents::text(content, request.uri).with_mime_type(mime);
        Ok(ReadResourceResult::new(vec![content]).into())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let filled_in = prompts::filled_in(&request.name, request.arguments.as_ref());
        let filled_in = filled_in.ok_or_else(|| {
            let message = format!("there is no prompt {:?}", request.name);
            ErrorData::invalid_params(message, None)
        })?;
        Ok(filled_in.into())
    }

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        self.place.forget().await;
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = requested.clone();
        if let Some(uris) = &mut accepted.resource_subscriptions {
            uris.retain(|uri| Named::read(uri).is_some());
        }
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let uris = context.accepted().resource_subscriptions.clone();
        let call = self.call_for(&context.request_context().peer).await;
        let watching = Watching::begin(call, uris.unwrap_or_default()).await?;
        let client = Listening::Stream(context.sink().clone());
        tokio::select! {
            () = watching.tell(client) => {}
            () = context.cancelled() => {}
        }
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        named(&request.uri)?;
        let call = self.call_for(&context.peer).await;
        let watching = Watching::begin(call, vec![request.uri.clone()]).await?;
        let telling = tokio::spawn(watching.tell(Listening::Session(context.peer)));
        let earlier = self
            .subscribed()
            .insert(request.uri, telling.abort_handle());
        end(earlier);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        end(self.subscribed().remove(&request.uri));
        Ok(())
    }
}

impl Server {
    fn subscribed(&self) -> std::sync::MutexGuard<'_, HashMap<String, AbortHandle>> {
        self.subscriptions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn end(subscription: Option<AbortHandle>) {
    if let Some(subscription) = subscription {
        subscription.abort();
    }
}

fn named(uri: &str) -> Result<Named, ErrorData> {
    Named::read(uri).ok_or_else(|| {
        let message = format!("{uri:?} is not a resource of ckpt, such as ckpt://resume");
        ErrorData::resource_not_found(message, None)
    })
}

/// How a client listens for changes.
enum Listening {
    /// To anything that the server says, as earlier versions of the protocol have it.
    Session(Peer<RoleServer>),
    /// To the answer of one request.
    Stream(SubscriptionSink),
}

impl Listening {
    /// Tells the client that a resource has changed. Returns whether it still listens.
    async fn hears(&self, uri: &str) -> bool {
        match self {
            Self::Session(peer) => {
                let update = ResourceUpdatedNotificationParam::new(uri);
                peer.notify_resource_updated(update).await.is_ok()
            }
            Self::Stream(sink) => sink.notify_resource_updated(uri).await.is_ok(),
        }
    }
}

/// Watches resources for a client.
struct Watching {
    call: Arc<Call>,
    uris: Vec<String>,
    watch: Watch,
    contents: Vec<Option<String>>,
}

impl Watching {
    /// Begins to watch. What changes from now on will be told.
    async fn begin(call: Call, uris: Vec<String>) -> Result<Self, ErrorData> {
        let call = Arc::new(call);
        let watched = Arc::clone(&call);
        let watch = beside(move || Ok(Watch::of(&watched.workspace()?))).await?;
        Ok(Self {
            watch: watch.map_err(refused)?,
            contents: contents_of(&call, &uris).await,
            call,
            uris,
        })
    }

    /// Tells the client which resources have changed, for as long as it listens.
    async fn tell(mut self, client: Listening) {
        loop {
            self.watch.changed().await;
            let now = contents_of(&self.call, &self.uris).await;
            for (uri, (before, after)) in self.uris.iter().zip(self.contents.iter().zip(&now)) {
                if before != after && !client.hears(uri).await {
                    return;
                }
            }
            self.contents = now;
        }
    }
}

/// The contents of resources; nothing for one that cannot be read.
async fn contents_of(call: &Arc<Call>, uris: &[String]) -> Vec<Option<String>> {
    let (call, uris) = (Arc::clone(call), uris.to_vec());
    let read = spawn_blocking(move || {
        let content = |uri: &String| Named::read(uri)?.content(&call).ok();
        uris.iter().map(content).collect()
    });
    read.await.unwrap_or_default()
}
