import Foundation
import JobManifest

extension Manifest {
    /// The variables with which a child that renders can read the manifest: it needs no secret, and gets none.
    var renderEnvironment: [String: String] {
        var environment = variables.withoutSecrets
        // A manifest may leave it to the environment.
        let key = LoadingSettings.AWSKeys.secretKeyVariable
        if ProcessInfo.processInfo.environment[key] != nil { environment[key] = Variables.withheld }
        return environment
    }
}
