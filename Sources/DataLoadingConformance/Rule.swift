extension DataLoadingConformance {
    /// What the contract of `DataLoading` says.
    public enum Rule: String, Sendable, CaseIterable {
        /// The chunks of a body come in their order, whole, and each once.
        case order
        /// No two calls of one load run at the same time, from whatever threads they come.
        case threading
        /// `completion` is called exactly once, after the last chunk, and nothing after it.
        case oneCompletion
        /// A load that is cancelled at once asks for nothing more, ends at most once, and not well.
        case cancellationBefore
        /// A load that is cancelled in the middle of its body stops its transfer, ends at most once, and not well.
        case cancellationDuring
        /// To cancel a load that has ended changes nothing.
        case cancellationAfter
        /// A chunk is delivered when it has come, not when the body is whole.
        case incrementalDelivery
        /// An empty body is a success without bytes.
        case emptyBody
        /// Of an answer whose status is not 200 to 299 nothing is delivered, and the load fails.
        case rejectedStatus
        /// A body that ends before its declared end is a failure.
        case cutBody
        /// A server that is not there is a failure.
        case noServer
        /// Method, header fields and body of the request are sent as they are.
        case request
        /// Each chunk carries the response: URL, status, declared length and media type.
        case response
        /// Loads that run at the same time each get their own body.
        case manyAtOnce
    }
}
