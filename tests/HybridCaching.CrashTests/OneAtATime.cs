// A kill at random shall not be one of a process that hardly runs.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
