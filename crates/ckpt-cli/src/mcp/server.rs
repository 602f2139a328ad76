//! Answers the requests of a client.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ResourceContents, ResourceTemplate, ResourceUpdatedNotificationParam, ServerCapabilities,
    ServerConfig, SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{
    NotificationContext, Peer, RequestContext, SubscriptionContext, SubscriptionSink,
};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::{RwLock, watch};
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

/// The requests that have parameters.
const METHODS: [&str; 8] = [
    "initialize",
    "tools/call",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
    "prompts/get",
    "completion/complete",
];

/// The server.
pub(super) struct Server {
    place: Arc<Place>,
    /// Becomes true when the client has gone, or the server is to end.
    closing: watch::Receiver<bool>,
    /// Held by every call of a tool.
    running: Arc<RwLock<()>>,
    /// What the client has subscribed to, in the earlier version of the protocol.
    subscriptions: Mutex<HashMap<String, AbortHandle>>,
}

impl Server {
    pub(super) fn new(directory: Option<PathBuf>, closing: watch::Receiver<bool>) -> Self {
        Self {
            place: Arc::new(Place::new(directory)),
            closing,
            running: Arc::default(),
            subscriptions: Mutex::default(),
        }
    }

    /// Can be locked for writing when no tool is being called.
    pub(super) fn running(&self) -> Arc<RwLock<()>> {
        Arc::clone(&self.running)
    }

    async fn call_for(&self, peer: &Peer<RoleServer>) -> Result<Call, Refused> {
        call_in(&self.place, peer).await
    }
}

async fn call_in(place: &Place, peer: &Peer<RoleServer>) -> Result<Call, Refused> {
    Ok(Call {
        directory: place.directory(peer).await?,
        attendant: Attendant::default(),
    })
}

/// Does something that reads or writes files, away from the thread that talks to the client.
async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refused> + Send + 'static,
) -> Result<Result<T, Refused>, ErrorData> {
    let done = spawn_blocking(work).await;
    done.map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// Waits until the server is to end.
pub(super) async fn is_over(mut closing: watch::Receiver<bool>) {
    let _ = closing.wait_for(|is_closing| *is_closing).await;
}

/// What a tool has to say.
fn told(done: Result<Value, Refused>) -> CallToolResult {
    match done {
        Ok(output) => CallToolResult::structured(output),
        Err(Refused(message)) => CallToolResult::error(vec![ContentBlock::text(message)]),
    }
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
        let mut call = match self.call_for(&context.peer).await {
            Ok(call) => call,
            Err(reason) => return Ok(told(Err(reason)).into()),
        };
        let _running = Arc::clone(&self.running).read_owned().await;
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
            () = is_over(self.closing.clone()) => {
                stop.store(true, Ordering::Relaxed);
                done.await
            }
        };
        Ok(told(done?).into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let call = self.call_for(&context.peer).await.map_err(refused)?;
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
        let call = self.call_for(&context.peer).await.map_err(refused)?;
        let content = beside(move || named.content(&call)).await?;
        let content = content.map_err(|Refused(reason)| {
            ErrorData::resource_not_found(format!("{}: {reason}", request.uri), None)
        })?;
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
        match filled_in {
            Ok(filled_in) => Ok(filled_in.into()),
            Err(message) => Err(ErrorData::invalid_params(message, None)),
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // A request with parameters of another form is none of those that are known.
        Err(match METHODS.contains(&request.method.as_str()) {
            true => {
                let message = format!("the parameters of {} are wrong", request.method);
                ErrorData::invalid_params(message, None)
            }
            false => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None),
        })
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
        let peer = context.request_context().peer.clone();
        let watching = Watching::begin(&self.place, peer, uris.unwrap_or_default()).await?;
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
        let (place, peer) = (&self.place, context.peer.clone());
        let watching = Watching::begin(place, peer, vec![request.uri.clone()]).await?;
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
    place: Arc<Place>,
    moves: watch::Receiver<u64>,
    peer: Peer<RoleServer>,
    uris: Vec<String>,
    call: Arc<Call>,
    watch: Watch,
    contents: Vec<Option<String>>,
}

impl Watching {
    /// Begins to watch. What changes from now on will be told.
    async fn begin(
        place: &Arc<Place>,
        peer: Peer<RoleServer>,
        uris: Vec<String>,
    ) -> Result<Self, ErrorData> {
        let moves = place.moves();
        let call = Arc::new(call_in(place, &peer).await.map_err(refused)?);
        Ok(Self {
            watch: watch_of(&call).await?.map_err(refused)?,
            contents: contents_of(&call, &uris).await,
            place: Arc::clone(place),
            moves,
            peer,
            uris,
            call,
        })
    }

    /// Tells the client which resources have changed, for as long as it listens.
    async fn tell(mut self, client: Listening) {
        loop {
            tokio::select! {
                () = self.watch.changed() => {}
                _ = self.moves.changed() => self.move_on().await,
            }
            let now = contents_of(&self.call, &self.uris).await;
            for (uri, (before, after)) in self.uris.iter().zip(self.contents.iter().zip(&now)) {
                if before != after && !client.hears(uri).await {
                    return;
                }
            }
            self.contents = now;
        }
    }

    /// Goes where the client has gone, if that can be watched.
    async fn move_on(&mut self) {
        let Ok(call) = call_in(&self.place, &self.peer).await.map(Arc::new) else {
            return;
        };
        if let Ok(Ok(watch)) = watch_of(&call).await {
            self.watch = watch;
            self.call = call;
        }
    }
}

async fn watch_of(call: &Arc<Call>) -> Result<Result<Watch, Refused>, ErrorData> {
    let call = Arc::clone(call);
    beside(move || Ok(Watch::of(&call.workspace()?))).await
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
