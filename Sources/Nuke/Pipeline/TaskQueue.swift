public import Foundation

/// A queue of the pipeline under its name since Nuke 13.
public typealias TaskQueue = OperationQueue

extension OperationQueue {
    /// Creates a queue with a width.
    ///
    /// - Parameter maxConcurrentOperationCount: The most operations that run at once.
    public convenience init(maxConcurrentOperationCount: Int) {
        self.init()
        self.maxConcurrentOperationCount = maxConcurrentOperationCount
    }

    /// Creates a queue with a width, by the name of Nuke 14.
    ///
    /// - Parameter maxConcurrentTaskCount: The most operations that run at once.
    public convenience init(maxConcurrentTaskCount: Int) {
        self.init(maxConcurrentOperationCount: maxConcurrentTaskCount)
    }

    /// The most operations that run at once: `maxConcurrentOperationCount` under its name in Nuke 14.
    public var maxConcurrentTaskCount: Int {
        get { maxConcurrentOperationCount }
        set { maxConcurrentOperationCount = newValue }
    }
}
