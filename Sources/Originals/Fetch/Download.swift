package import Foundation
package import FoundationNetworking
import Synchronization

/// One download, resumed where an earlier one broke off; its priority can change while it waits.
package final class Download: Sendable {
    /// The parts of a download.
    package struct Plan: Sendable {
        /// The request.
        package var request: URLRequest
        /// The loader.
        package var loader: any OriginalLoading
        /// The queue whose width bounds the running transfers.
        package var slots: OperationQueue
        /// The rate limiter, for loaders without one of their own; nil for none.
        package var rateLimiter: HostRateLimiter?
        /// Changes the request in its slot, just before it is sent; nil to send it as it is.
        package var prepare: RequestPreparation?
        /// The most bytes of the body; nil for no limit.
        package var limit: Int?
        /// True if the SHA-256 of the bytes is computed while they arrive.
        package var isDigestComputed = false
        /// True if parts carry all bytes so far.
        package var keepsParts = false
        /// The place of the body while it arrives.
        package var storage = BodyStorage()
        /// The place of the beginning if the download breaks off; nil to keep none.
        package var remainder: Remainder?

        /// Creates the plan of a download without anything optional.
        package init(_ request: URLRequest, with loader: any OriginalLoading, in slots: OperationQueue) {
            self.request = request
            self.loader = loader
            self.slots = slots
        }
    }

    private struct State {
        var priority = Operation.QueuePriority.normal
        var load: (any PrioritizedCancellable)?
    }

    private let plan: Plan
    private let state = Mutex(State())
    private let rateLimiterPriority = LivePriority(.normal)
    private let onPart: (@Sendable (LoadedPart) -> Void)?

    /// Creates a download; `onPart` is called after each chunk on the loader's thread, in order.
    package init(_ plan: Plan, onPart: (@Sendable (LoadedPart) -> Void)? = nil) {
        self.plan = plan
        self.onPart = onPart
    }

    /// Changes the priority of the download wherever it waits.
    package func setPriority(_ priority: Operation.QueuePriority) {
        let load = state.withLock { state in
            state.priority = priority
            return state.load
        }
        rateLimiterPriority.priority = priority
        load?.setPriority(priority)
    }

    /// Loads the bytes, those that an earlier download left excepted.
    /// - Throws: `FetchError`, `CancellationError`, or the error of the loader.
    package func run() async throws -> LoadedData {
        var plan = plan
        let request = plan.request
        guard let remainder = plan.remainder, request.cachePolicy != .returnCacheDataDontLoad,
            request.httpMethod ?? "GET" == "GET", request.value(forHTTPHeaderField: "Range") == nil
        else {
            // A cache has no part of a download to go on with, and a part has no rest.
            plan.remainder = nil
            return try await receive(ResponseBody(plan, onPart: onPart), of: request)
        }
        let partial = await remainder.onDisk()
        let resumable = partial?.takeResumableData() ?? remainder.takeFromMemory()
        var resuming = request
        resumable?.resume(request: &resuming)
        var body = ResponseBody(plan, resuming: resumable, partial: partial, onPart: onPart)
        do {
            do {
                return try await receive(body, of: resuming)
            } catch  where resumable != nil && body.isResumeRefused(error) {
                // The server has other bytes now, or it lied about the part.
                body = ResponseBody(plan, partial: partial, onPart: onPart)
                return try await receive(body, of: request)
            }
        } catch {
            body.end(error)
            remainder.keepInMemory(body.resumableData)
            throw error
        }
    }

    private func receive(_ body: ResponseBody, of request: URLRequest) async throws -> LoadedData {
        // Released with its last reference.
        let permit = try await permit(for: request)
        defer { withExtendedLifetime(permit) {} }
        return try await body.receive { [self] in
            let load = plan.loader.load(
                request,
                priority: state.withLock { $0.priority },
                slots: plan.slots,
                prepare: plan.prepare,
                into: body.sink
            )
            let priority = state.withLock { state in
                state.load = load
                return state.priority
            }
            load.setPriority(priority)
            return load
        }
    }

    /// Waits for the plan's rate limiter.
    private func permit(for request: URLRequest) async throws -> Permit? {
        guard let rateLimiter = plan.rateLimiter, let url = request.url,
            request.cachePolicy != .returnCacheDataDontLoad
        else { return nil }
        let host = HostRateLimiter.host(of: url)
        return try await rateLimiter.acquire(host: host, priority: rateLimiterPriority)
    }
}
