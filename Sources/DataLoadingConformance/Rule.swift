extension DataLoadingConformance {
    /// A rule of the `DataLoading` contract.
    public enum Rule: String, Sendable, CaseIterable {
        /// The chunks of a body arrive in order, complete, and once each.
        case order
        /// Callbacks of one load never run concurrently, whatever threads they use.
        case threading
        /// `completion` is called exactly once, after the last chunk, and no callback follows.
        case oneCompletion
        /// A load that is cancelled immediately sends nothing more, and nothing is called.
        case cancellationBefore
        /// A load that is cancelled during its body, from another thread or in a callback, stops its transfer, and
        /// nothing more is called.
        case cancellationDuring
        /// Cancelling a completed load has no effect.
        case cancellationAfter
        /// A chunk is delivered when it arrives, not when the body is complete.
        case incrementalDelivery
        /// An empty body is a success without chunks.
        case emptyBody
        /// A response with a status outside 200 to 299 delivers no body, and the load fails.
        case rejectedStatus
        /// A body that ends before its declared length is a failure.
        case cutBody
        /// An unreachable server is a failure.
        case noServer
        /// The request's method, header fields and body are sent unchanged.
        case request
        /// Each chunk carries the response: URL, status, declared length and media type.
        case response
        /// Concurrent loads each receive their own body.
        case manyAtOnce
    }
}
