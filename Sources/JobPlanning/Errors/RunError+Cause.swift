import JobManifest
import JobStorage

extension RunError {
    /// The error of a run for whatever kept it from beginning.
    package init(_ error: any Error) {
        switch error {
        case let error as RunError: self = error
        case let error as SourceError where error.isRemote:
            self = .lostSource(error.description, isTemporary: error.isTemporary)
        case let error as SourceError:
            self = error.isTemporary ? .machine(error.description) : .wrongInput(error.description)
        case let error as JobStoreError:
            if case .locked = error {
                self = .held(error.description)
            } else {
                self = .machine(error.description)
            }
        default: self = .machine("\(error)")
        }
    }

    /// Returns what `work` returns; whatever it throws becomes the error of a run.
    package static func wrapping<Result>(_ work: () throws -> Result) throws(RunError) -> Result {
        do { return try work() } catch { throw RunError(error) }
    }

    /// Returns what `work` returns; whatever it throws becomes the error of a run.
    package static func wrapping<Result>(_ work: () async throws -> Result) async throws(RunError) -> Result {
        do { return try await work() } catch { throw RunError(error) }
    }
}
