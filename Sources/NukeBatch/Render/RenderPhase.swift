/// The phase of the work on an image; the raw values are those of the in-flight journal, the names those in messages.
package enum RenderPhase: Int64, Sendable {
    /// Reading the original's header and other data that needs no decode.
    case header = 1
    case decode = 2
    /// Finding facts and running the processors of an output.
    case process = 3
    case encode = 4
}
