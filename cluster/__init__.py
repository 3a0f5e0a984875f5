"""What if one machine is not enough? Parts of a crawl are tasks on many, and what they know lies in shared storage."""
