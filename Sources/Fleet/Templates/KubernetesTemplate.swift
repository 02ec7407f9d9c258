import Files
import JobManifest

/// A Kubernetes Indexed Job.
enum KubernetesTemplate {
    /// The most completions of an Indexed Job (Kubernetes documentation, "Jobs": 10^5).
    private static let mostCompletions = 100_000

    /// Source: Kubernetes documentation, "Jobs" (Indexed completion mode, backoff limit per index, Pod failure policy).
    static func text(_ facts: TemplateFacts) -> String {
        let (count, stride) = facts.tasks(most: mostCompletions)
        return """
            # Runs the \(Quantity.count(facts.partitions, "partition")) of plan \(facts.hash.short): kubectl apply -f fleet.yaml
            # Needs Kubernetes 1.29 or later (backoffLimitPerIndex). Set image, parallelism, and how the pods reach the store.
            apiVersion: batch/v1
            kind: Job
            metadata:
              name: \(facts.job)
              labels:
                app.kubernetes.io/name: nuke-batch
              annotations:
                nuke-batch/plan: "\(facts.hash)"
            spec:
              completionMode: Indexed
              completions: \(count)
              parallelism: \(min(count, 16))
              # Each partition has tries of its own; one that fails does not end the others.
              backoffLimitPerIndex: 8
              maxFailedIndexes: \(count)
              podFailurePolicy:
                rules:
                  # 42: trying again does not help.
                  - action: FailIndex
                    onExitCodes:
                      containerName: worker
                      operator: In
                      values: [42]
                  # Evictions and lost nodes are not the partition's fault.
                  - action: Ignore
                    onPodConditions:
                      - type: DisruptionTarget
                        status: "True"
              template:
                metadata:
                  labels:
                    app.kubernetes.io/name: nuke-batch
                spec:
                  restartPolicy: Never
                  terminationGracePeriodSeconds: 30
                  containers:
                    - name: worker
                      image: \(facts.image)
                      command: ["\(facts.program)"]
                      args: ["fleet", "work", "--store", \(yaml(facts.store)), "--plan", "\(facts.hash)", "--from-env", "--stride", "\(stride)"]
                      env:
                        - name: NUKE_BATCH_SCRATCH
                          value: /scratch
                      # Credentials of a bucket: a service account with a role, or envFrom a secret.
                      resources:
                        requests: {cpu: "2", memory: 2Gi}
                        limits: {memory: 2Gi}
                      securityContext:
                        allowPrivilegeEscalation: false
                        runAsNonRoot: true
                        # The user of the image, by number: the kubelet refuses one that it knows by name only.
                        runAsUser: 10001
                        runAsGroup: 10001
                        capabilities: {drop: [ALL]}
                        seccompProfile: {type: RuntimeDefault}
                      volumeMounts:
                        - {name: scratch, mountPath: /scratch}
                  volumes:
                    - name: scratch
                      emptyDir: {}

            """
    }

    /// An argument as a string of YAML, whose strings in double quotes are those of JSON.
    ///
    /// Kubernetes expands `$(NAME)` in arguments, and takes `$$` for `$` (API reference, "Container v1 core").
    private static func yaml(_ text: String) -> String {
        CanonicalJSON.string(text.parts(at: "$").joined(separator: "$$")).text
    }
}
