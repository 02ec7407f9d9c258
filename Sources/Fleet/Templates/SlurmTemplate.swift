import JobManifest

/// A script for Slurm that submits itself in arrays no larger than the cluster allows.
enum SlurmTemplate {
    /// Sources: sbatch(1), scontrol(1), slurm.conf(5) (MaxArraySize).
    static func text(_ facts: TemplateFacts) -> String {
        """
        #!/bin/bash
        # Runs the \(Quantity.count(facts.partitions, "partition")) of plan \(facts.hash.short) as Slurm arrays.
        # On the login node:  bash fleet.sh
        # It submits one array for each MaxArraySize partitions, with an offset, since Slurm limits the index of a task.
        # Then, to prove the job complete:  bash fleet.sh collect PARTS
        # It submits an array of that many parts, and the merge of their results behind it.
        #SBATCH --job-name=\(facts.job)
        #SBATCH --cpus-per-task=2
        #SBATCH --mem=2G
        #SBATCH --time=\(facts.limit)
        #SBATCH --requeue
        #SBATCH --open-mode=append
        # SIGTERM one minute before the time limit: the worker ends without a commit and may be tried again.
        #SBATCH --signal=B:TERM@60
        set -u
        store=\(facts.quotedStore)
        plan=\(facts.hash)
        partitions=\(facts.partitions)

        # The parts need the secret of the one who submits, if others may write to the store: NUKE_BATCH_COLLECT_SECRET.
        case ${FLEET_COLLECT:-} in
          part) exec \(facts.program) fleet collect --store "$store" --plan "$plan" --part "$SLURM_ARRAY_TASK_ID/$FLEET_PARTS" ;;
          merge) exec \(facts.program) fleet collect --store "$store" --plan "$plan" --parts "$FLEET_PARTS" ;;
        esac
        if [ "${1:-}" = collect ]; then
          parts=${2:?how many parts}
          array=$(sbatch --parsable --array="1-$parts" --export="ALL,FLEET_COLLECT=part,FLEET_PARTS=$parts" "$0") || exit
          # The limit of a partition's time is not that of the merge.
          exec sbatch --time=0 --dependency="afterok:${array%%;*}" --export="ALL,FLEET_COLLECT=merge,FLEET_PARTS=$parts" "$0"
        fi
        if [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then
          most=$(scontrol show config | awk '$1 == "MaxArraySize" { print $3 }')
          for ((offset = 0; offset < partitions; offset += most)); do
            left=$((partitions - offset))
            last=$(((left < most ? left : most) - 1))
            # %16: at most 16 tasks of an array at once.
            sbatch --array="0-$last%16" --export="ALL,FLEET_OFFSET=$offset" "$0" || exit
          done
          exit
        fi

        # The node's own disk; what is there lets a worker resume on the same node.
        export NUKE_BATCH_SCRATCH="${NUKE_BATCH_SCRATCH:-${SLURM_TMPDIR:-/tmp}}"
        \(facts.program) fleet work --store "$store" --plan "$plan" --from-env --offset "$FLEET_OFFSET" &
        worker=$!
        trap 'kill -TERM $worker' TERM
        wait $worker
        code=$?
        # A trap ends the first wait: the worker's own end counts.
        if [ $code -gt 128 ] && kill -0 $worker 2>/dev/null; then wait $worker; code=$?; fi
        case $code in
          0) ;;
          42) echo "not tried again: see the message above" >&2 ;;
          # Slurm counts the restarts of a task; five are enough.
          *) [ "${SLURM_RESTART_COUNT:-0}" -ge 5 ] || scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID" ;;
        esac
        exit $code

        """
    }
}
