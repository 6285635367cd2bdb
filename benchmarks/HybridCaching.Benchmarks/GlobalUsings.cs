global using GuidCache = HybridCaching.Benchmarks.Contestants.CacheContestant<System.Guid, HybridCaching.Benchmarks.Contestants.GuidKeys, HybridCaching.Benchmarks.Workloads.Payload>;
global using GuidDictionary = HybridCaching.Benchmarks.Contestants.DictionaryContestant<System.Guid, HybridCaching.Benchmarks.Contestants.GuidKeys, HybridCaching.Benchmarks.Workloads.Payload>;
global using LongCache = HybridCaching.Benchmarks.Contestants.CacheContestant<long, HybridCaching.Benchmarks.Contestants.LongKeys, HybridCaching.Benchmarks.Workloads.Payload>;
global using LongDictionary = HybridCaching.Benchmarks.Contestants.DictionaryContestant<long, HybridCaching.Benchmarks.Contestants.LongKeys, HybridCaching.Benchmarks.Workloads.Payload>;
global using LongStore = HybridCaching.Benchmarks.Contestants.StoreContestant<long, HybridCaching.Benchmarks.Contestants.LongKeys, HybridCaching.Benchmarks.Workloads.Payload>;
