public import Foundation

/// A queue of the pipeline under its name in Nuke 13.
public typealias TaskQueue = OperationQueue

extension OperationQueue {
    /// Creates a queue with a width.
    ///
    /// - Parameter maxConcurrentOperationCount: The most operations that run at once.
    public convenience init(maxConcurrentOperationCount: Int) {
        self.init()
        self.maxConcurrentOperationCount = maxConcurrentOperationCount
    }
}
